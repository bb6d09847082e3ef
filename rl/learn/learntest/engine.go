package learntest

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"parley/engine"
	"parley/internal/seed"
)

const (
	vocabulary = 5 // words; [End] ends an answer
	states     = 7 // that a policy can tell apart

	// End is the token that ends an answer.
	End = 0
	// Result is a token that is read, and never said: no policy has a probability for it.
	Result = vocabulary
)

// An Engine is an [engine.Engine] without a model. What was said before a token puts a policy into one of a few states, each with logits and a
// value of its own; a step descends them by plain gradients. It samples and scores with the same numbers, and notes every call but
// samples in Calls, with all that it was given. It neither saves nor loads, and is for one goroutine.
type Engine struct {
	engine.Engine // the methods that are not there

	Calls   []string
	rounds  []string
	Samples int // that were asked for
	// Broken makes the calls that train or step a policy fail; nil: none do.
	Broken func(call string, p engine.Policy) error

	policies map[engine.Policy]*table
}

// A table is a policy.
type table struct {
	valued                 bool
	logits, logitGradients [states][vocabulary]float64
	values, valueGradients [states]float64
}

// NewEngine returns an engine with nothing but a base.
func NewEngine() *Engine {
	e := &Engine{policies: map[engine.Policy]*table{}}
	base := new(table)
	for s := range base.logits {
		for w := range base.logits[s] {
			base.logits[s][w] = math.Sin(float64(3*s + 5*w))
		}
	}
	e.policies[engine.Base] = base
	return e
}

// Copy returns an engine with policies equal to those of e, and no calls.
func (e *Engine) Copy() *Engine {
	out := &Engine{policies: map[engine.Policy]*table{}}
	for name, t := range e.policies {
		c := *t
		out.policies[name] = &c
	}
	return out
}

// Policies lists the policies with their parameters, to be compared.
func (e *Engine) Policies() []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(e.policies)) {
		out = append(out, fmt.Sprintf("%s: %v %v", name, e.policies[name].logits, e.policies[name].values))
	}
	return out
}

func (e *Engine) policy(p engine.Policy) (*table, error) {
	if t := e.policies[p]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("there is no policy %q", p)
}

// NewPolicy implements [engine.Engine]. A new policy is as the base.
func (e *Engine) NewPolicy(_ context.Context, p engine.Policy, spec engine.PolicySpec) error {
	t := *e.policies[engine.Base]
	t.valued = spec.ValueHead
	for s := range t.values {
		t.values[s] = 0.1 * math.Cos(float64(s))
	}
	e.policies[p] = &t
	return nil
}

// state is where a policy is after some tokens.
func state(tokens []int) int {
	h := uint64(1)
	for _, t := range tokens {
		h = (h*31 + uint64(t) + 7) % 1_000_003
	}
	return int(h % states)
}

// logprobs are those of all words in a state.
func (t *table) logprobs(state int, temperature float64) [vocabulary]float64 {
	var out [vocabulary]float64
	sum := 0.0
	for w, z := range t.logits[state] {
		out[w] = z / scale(temperature)
		sum += math.Exp(out[w])
	}
	for w := range out {
		out[w] -= math.Log(sum)
	}
	return out
}

func scale(temperature float64) float64 {
	if temperature == 0 {
		return 1
	}
	return temperature
}

// Sample implements [engine.Engine].
func (e *Engine) Sample(_ context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	e.Samples += len(reqs)
	out := make([]engine.Sample, len(reqs))
	for i, r := range reqs {
		t, err := e.policy(r.Policy)
		if err != nil {
			return nil, err
		}
		rng := seed.Stream(r.Seed)
		tokens := slices.Clone(r.Prompt)
		s := &out[i]
		for s.Stop = engine.StopLength; len(s.Tokens) < r.MaxTokens; {
			logprobs := t.logprobs(state(tokens), r.Sampling.Temperature)
			word, left := 0, rng.Float64()
			for word < vocabulary-1 && left >= math.Exp(logprobs[word]) {
				left -= math.Exp(logprobs[word])
				word++
			}
			tokens = append(tokens, word)
			s.Tokens, s.Logprobs = append(s.Tokens, word), append(s.Logprobs, float32(logprobs[word]))
			if slices.Contains(r.Stop, word) {
				s.Stop = engine.StopEOS
				break
			}
		}
	}
	return out, nil
}

// Forward implements [engine.Engine].
func (e *Engine) Forward(_ context.Context, data []engine.Datum) ([]engine.Output, error) {
	for _, d := range data {
		e.note("score %s", describe(d))
	}
	return e.outputs(data)
}

func (e *Engine) outputs(data []engine.Datum) ([]engine.Output, error) {
	out := make([]engine.Output, len(data))
	for i, d := range data {
		t, err := e.policy(d.Policy)
		if err != nil {
			return nil, err
		}
		for j := range d.Asked() + 1 {
			x := d.Index(j)
			s := state(d.Tokens[:x])
			if t.valued {
				out[i].Values = append(out[i].Values, float32(t.values[s]))
			}
			if x < len(d.Tokens) && d.Tokens[x] >= vocabulary {
				return nil, fmt.Errorf("%s is asked for what nobody says: %s", d.Policy, describe(d))
			}
			if x < len(d.Tokens) && !d.ValuesOnly {
				out[i].Logprobs = append(out[i].Logprobs, float32(t.logprobs(s, d.Sampling.Temperature)[d.Tokens[x]]))
			}
		}
	}
	return out, nil
}

// ForwardBackward implements [engine.Engine].
func (e *Engine) ForwardBackward(_ context.Context, data []engine.Datum, loss engine.Loss) error {
	for _, d := range data {
		if err := e.broken("train", d.Policy); err != nil {
			return err
		}
	}
	outputs, err := e.outputs(data)
	if err != nil {
		return err
	}
	grads, err := loss(0, outputs)
	if err != nil {
		return err
	}
	round := "train"
	for i, d := range data {
		e.note("train %s: %v %v", describe(d), grads[i].Logprobs, grads[i].Values)
		e.policies[d.Policy].accumulate(d, grads[i])
		if i == 0 || d.Policy != data[i-1].Policy {
			round += " " + string(d.Policy)
		}
	}
	e.rounds = append(e.rounds, round)
	return nil
}

// GradientOf implements [engine.Differentiator]. It is no call of training, and is not noted.
func (e *Engine) GradientOf(_ context.Context, data []engine.Datum, loss engine.Loss) ([]float64, error) {
	outputs, err := e.outputs(data)
	if err != nil {
		return nil, err
	}
	grads, err := loss(0, outputs)
	if err != nil {
		return nil, err
	}
	scratch := *e.policies[data[0].Policy]
	scratch.logitGradients = [states][vocabulary]float64{}
	for i, d := range data {
		scratch.accumulate(d, grads[i])
	}
	var out []float64
	for _, g := range scratch.logitGradients {
		out = append(out, g[:]...)
	}
	return out, nil
}

// accumulate adds the gradient of a datum.
func (t *table) accumulate(d engine.Datum, g engine.Gradient) {
	for x, slope := range g.Logprobs {
		at := d.Index(x)
		s := state(d.Tokens[:at])
		for w, lp := range t.logprobs(s, d.Sampling.Temperature) {
			share := -math.Exp(lp)
			if w == d.Tokens[at] {
				share++
			}
			t.logitGradients[s][w] += float64(slope) * share / scale(d.Sampling.Temperature)
		}
	}
	for x, slope := range g.Values {
		t.valueGradients[state(d.Tokens[:d.Index(x)])] += float64(slope)
	}
}

// Step implements [engine.Engine].
func (e *Engine) Step(_ context.Context, p engine.Policy, o engine.Adam) (engine.StepInfo, error) {
	t, err := e.policy(p)
	if err != nil {
		return engine.StepInfo{}, err
	}
	if err := e.broken("step", p); err != nil {
		return engine.StepInfo{}, err
	}
	e.note("step %s: %+v", p, o)
	e.rounds = append(e.rounds, "step "+string(p))
	norm, size := 0.0, 0.0
	for s := range states {
		for w, g := range t.logitGradients[s] {
			size += t.logits[s][w] * t.logits[s][w]
			t.logits[s][w] -= o.LR * g
			norm += g * g
		}
		g := t.valueGradients[s]
		size += t.values[s] * t.values[s]
		t.values[s] -= o.LR * g
		norm += g * g
	}
	t.logitGradients, t.valueGradients = [states][vocabulary]float64{}, [states]float64{}
	return engine.StepInfo{GradNorm: math.Sqrt(norm), UpdateNorm: o.LR * math.Sqrt(norm), ParamNorm: math.Sqrt(size)}, nil
}

func (e *Engine) broken(call string, p engine.Policy) error {
	if e.Broken == nil {
		return nil
	}
	return e.Broken(call, p)
}

func (e *Engine) note(format string, args ...any) {
	e.Calls = append(e.Calls, fmt.Sprintf(format, args...))
}

// Rounds lists the calls of training by their policies, such as "train a b" and "step a".
func (e *Engine) Rounds() []string { return e.rounds }

// Steps lists the policies that took an optimizer step, in order.
func (e *Engine) Steps() []engine.Policy {
	var out []engine.Policy
	for _, r := range e.rounds {
		if name, ok := strings.CutPrefix(r, "step "); ok {
			out = append(out, engine.Policy(name))
		}
	}
	return out
}

// describe is all that a datum says.
func describe(d engine.Datum) string {
	return fmt.Sprintf("%s %v from %d, given %v, at %v, values only %v", d.Policy, d.Tokens, d.ScoreFrom, d.Given, d.Sampling, d.ValuesOnly)
}
