// Package tabular plays games of one turn with tabular policies, to check learners without language models (MAGRPO §15.7).
//
// A [Tabular] is an engine: its policies are tables of logits, an answer in a game is one token, and a token is an action. So everything
// above it is what trains language models: groups of samples, joint actions, credit, advantages, losses and AdamW.
//
//	tabular.go    the engine
//	game.go       the climbing game and games of two actions
//	learn.go      a pair of learners, with a joint reward or each with its own
//	estimator.go  the gradient estimator against the true gradient: expectation and variance
package tabular

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"parley/engine"
	"parley/internal/seed"
)

// Tabular is an [engine.Engine] whose policies are tables of logits over actions, whatever the prompt and whatever was answered before. Logits
// begin with 0, those of the base stay there. Temperatures are its only distributions: it has no cuts, masks and least lengths, no values and no
// copies of the base.
type Tabular struct {
	actions int

	mu       sync.Mutex // of all that follows; a loss is asked without it
	policies map[engine.Policy]*table
}

// A table is a policy with its optimizer's state.
type table struct {
	Logits []float64
	M, V   []float64
	Steps  int
	grad   []float64
}

// NewTabular returns an engine with so many actions.
func NewTabular(actions int) *Tabular {
	e := &Tabular{actions: actions, policies: map[engine.Policy]*table{}}
	e.policies[engine.Base] = e.table()
	return e
}

func (e *Tabular) table() *table {
	return &table{Logits: make([]float64, e.actions), M: make([]float64, e.actions), V: make([]float64, e.actions), grad: make([]float64, e.actions)}
}

func (e *Tabular) policy(p engine.Policy) (*table, error) {
	if t := e.policies[p]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("there is no policy %q", p)
}

// NewPolicy implements [engine.Engine].
func (e *Tabular) NewPolicy(_ context.Context, p engine.Policy, spec engine.PolicySpec) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.policies[p] != nil:
		return fmt.Errorf("new policy %q: it exists already", p)
	case spec.Full, spec.ValueHead, len(spec.Targets) > 0:
		return fmt.Errorf("new policy %q: %w: a table has no base to copy, no values and no projections", p, errors.ErrUnsupported)
	}
	e.policies[p] = e.table()
	return nil
}

// logprobs are those of all actions at a temperature; 0 means 1.
func (t *table) logprobs(temperature float64) []float64 {
	if temperature == 0 {
		temperature = 1
	}
	out, most := make([]float64, len(t.Logits)), math.Inf(-1)
	for i, z := range t.Logits {
		out[i] = z / temperature
		most = max(most, out[i])
	}
	sum := 0.0
	for _, z := range out {
		sum += math.Exp(z - most)
	}
	for i := range out {
		out[i] -= most + math.Log(sum)
	}
	return out
}

// Probabilities are those of a policy's actions at temperature 1.
func (e *Tabular) Probabilities(p engine.Policy) ([]float64, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, err := e.policy(p)
	if err != nil {
		return nil, err
	}
	out := t.logprobs(1)
	for i, lp := range out {
		out[i] = math.Exp(lp)
	}
	return out, nil
}

// Gradient returns what a policy has accumulated, and clears it.
func (e *Tabular) Gradient(p engine.Policy) ([]float64, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, err := e.policy(p)
	if err != nil {
		return nil, err
	}
	g := t.grad
	t.grad = make([]float64, e.actions)
	return g, nil
}

// Sample implements [engine.Engine].
func (e *Tabular) Sample(ctx context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := make([]engine.Sample, len(reqs))
	for i, r := range reqs {
		t, err := e.policy(r.Policy)
		if err = cmp.Or(ctx.Err(), err, e.checkRequest(&r)); err != nil {
			return nil, fmt.Errorf("request %d: %w", i, err)
		}
		out[i] = t.sample(&r)
	}
	return out, nil
}

// sample draws an answer: one token where the request does not say how many.
func (t *table) sample(r *engine.SampleRequest) (s engine.Sample) {
	logprobs, stream := t.logprobs(r.Sampling.Temperature), seed.Stream(r.Seed)
	s.Stop = engine.StopLength
	for range max(r.MaxTokens, 1) {
		token := 0
		if r.Sampling.Temperature == 0 {
			token = slices.Index(logprobs, slices.Max(logprobs))
		} else {
			for left := stream.Float64(); token < len(logprobs)-1 && left >= math.Exp(logprobs[token]); token++ {
				left -= math.Exp(logprobs[token])
			}
		}
		s.Tokens, s.Logprobs = append(s.Tokens, token), append(s.Logprobs, float32(logprobs[token]))
		watched := r.Watch != nil && r.Watch.Ends(token)
		switch {
		case slices.Contains(r.Stop, token):
			s.Stop = engine.StopEOS
			return s
		case watched && len(s.Tokens) < r.MaxTokens:
			s.Stop = engine.StopText
			return s
		}
	}
	return s
}

func (e *Tabular) checkRequest(r *engine.SampleRequest) error {
	if r.Form != "" || len(r.Never) > 0 || r.MinTokens > 0 && len(r.Stop) > 0 {
		return fmt.Errorf("%w: masks and least lengths", errors.ErrUnsupported)
	}
	if len(r.Prompt) == 0 {
		return errors.New("the prompt is empty")
	}
	return errors.Join(e.checkSampling(r.Sampling), e.checkTokens(r.Prompt))
}

func (e *Tabular) checkSampling(s engine.Sampling) error {
	switch {
	case !(s.Temperature >= 0) || s.TopK < 0 || !(s.TopP >= 0) || s.TopP > 1:
		return fmt.Errorf("sampling %+v is no distribution", s)
	case s.TopK > 0 && s.TopK < e.actions || s.TopP > 0 && s.TopP < 1:
		return fmt.Errorf("%w: cuts", errors.ErrUnsupported)
	}
	return nil
}

func (e *Tabular) checkTokens(tokens []int) error {
	for i, t := range tokens {
		if t < 0 || t >= e.actions {
			return fmt.Errorf("token %d is %d, of %d actions: %w", i, t, e.actions, engine.ErrNoToken)
		}
	}
	return nil
}

func (e *Tabular) checkDatum(d *engine.Datum) error {
	switch {
	case d.ScoreFrom < 1 || d.ScoreFrom > len(d.Tokens):
		return fmt.Errorf("ScoreFrom %d of %d tokens", d.ScoreFrom, len(d.Tokens))
	case d.ValuesOnly || d.Mask.Form != "" || len(d.Mask.Never) > 0 || len(d.Mask.Early) > 0 && d.Mask.Least > 0:
		return fmt.Errorf("%w: values and masks", errors.ErrUnsupported)
	}
	return errors.Join(d.CheckGiven(), e.checkSampling(d.Sampling), e.checkTokens(d.Tokens))
}

// Forward implements [engine.Engine].
func (e *Tabular) Forward(ctx context.Context, data []engine.Datum) ([]engine.Output, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := make([]engine.Output, len(data))
	for i, d := range data {
		t, err := e.policy(d.Policy)
		if err = cmp.Or(ctx.Err(), err, e.checkDatum(&d)); err != nil {
			return nil, fmt.Errorf("datum %d: %w", i, err)
		}
		for j := range d.Asked() {
			out[i].Logprobs = append(out[i].Logprobs, float32(t.logprobs(d.Sampling.Temperature)[d.Tokens[d.Index(j)]]))
		}
	}
	return out, nil
}

// ForwardBackward implements [engine.Engine].
func (e *Tabular) ForwardBackward(ctx context.Context, data []engine.Datum, loss engine.Loss) error {
	for i, d := range data {
		if d.Policy == engine.Base {
			return fmt.Errorf("datum %d: the base is not trained", i)
		}
	}
	outputs, err := e.Forward(ctx, data)
	if err != nil {
		return err
	}
	grads, err := loss(0, outputs)
	if err != nil {
		return fmt.Errorf("loss: %w", err)
	}
	if len(grads) != len(data) {
		return fmt.Errorf("the loss returned %d gradients for %d outputs", len(grads), len(data))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, d := range data {
		for _, g := range grads[i].Logprobs {
			if math.IsNaN(float64(g)) || math.IsInf(float64(g), 0) {
				e.forget(data)
				return fmt.Errorf("datum %d: the gradient of the loss is %g: %w", i, g, engine.ErrNotFinite)
			}
		}
		if n := d.Asked(); grads[i].Logprobs != nil && len(grads[i].Logprobs) != n {
			return fmt.Errorf("datum %d: %d slopes for %d log-probabilities", i, len(grads[i].Logprobs), n)
		}
	}
	for i, d := range data {
		e.policies[d.Policy].accumulate(&d, grads[i].Logprobs)
	}
	return nil
}

// forget clears the gradients of the policies of some data.
func (e *Tabular) forget(data []engine.Datum) {
	for _, d := range data {
		clear(e.policies[d.Policy].grad)
	}
}

// accumulate adds the gradient of a datum.
func (t *table) accumulate(d *engine.Datum, slopes []float32) {
	temperature := d.Sampling.Temperature
	if temperature == 0 {
		temperature = 1
	}
	logprobs := t.logprobs(temperature)
	for x, g := range slopes {
		for a := range t.grad {
			slope := -math.Exp(logprobs[a])
			if a == d.Tokens[d.Index(x)] {
				slope++
			}
			t.grad[a] += float64(g) * slope / temperature
		}
	}
}

// GradientOf implements [engine.Differentiator].
func (e *Tabular) GradientOf(ctx context.Context, data []engine.Datum, loss engine.Loss) ([]float64, error) {
	if len(data) == 0 {
		return make([]float64, e.actions), nil
	}
	t, err := e.policy(data[0].Policy)
	if err != nil {
		return nil, err
	}
	for _, d := range data {
		if d.Policy != data[0].Policy {
			return nil, fmt.Errorf("gradient: the data are of policies %s and %s, expected one", data[0].Policy, d.Policy)
		}
	}
	before := t.grad
	t.grad = make([]float64, e.actions)
	err = e.ForwardBackward(ctx, data, loss)
	var out []float64
	out, t.grad = t.grad, before
	return out, err
}

// Step implements [engine.Engine].
func (e *Tabular) Step(_ context.Context, p engine.Policy, o engine.Adam) (engine.StepInfo, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, err := e.policy(p)
	if err != nil {
		return engine.StepInfo{}, err
	}
	norm := 0.0
	for _, g := range t.grad {
		norm += g * g
	}
	norm = math.Sqrt(norm)
	scale := 1.0
	if o.ClipNorm > 0 && norm > o.ClipNorm {
		scale = o.ClipNorm / norm
	}
	t.Steps++
	moved, size := 0.0, 0.0
	for i, g := range t.grad {
		before := t.Logits[i]
		g *= scale
		t.M[i] = o.Beta1*t.M[i] + (1-o.Beta1)*g
		t.V[i] = o.Beta2*t.V[i] + (1-o.Beta2)*g*g
		m := t.M[i] / (1 - math.Pow(o.Beta1, float64(t.Steps)))
		v := t.V[i] / (1 - math.Pow(o.Beta2, float64(t.Steps)))
		t.Logits[i] -= o.LR * (m/(math.Sqrt(v)+o.Eps) + o.WeightDecay*t.Logits[i])
		moved += (t.Logits[i] - before) * (t.Logits[i] - before)
		size += before * before
		t.grad[i] = 0
	}
	return engine.StepInfo{GradNorm: norm, UpdateNorm: math.Sqrt(moved), ParamNorm: math.Sqrt(size)}, nil
}

const tableFile = "table.json"

// Save implements [engine.Engine].
func (e *Tabular) Save(_ context.Context, p engine.Policy, dir string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, err := e.policy(p)
	if err != nil {
		return err
	}
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("save policy %s: %w", p, err)
	}
	return os.WriteFile(filepath.Join(dir, tableFile), data, 0o644)
}

// Load implements [engine.Engine].
func (e *Tabular) Load(_ context.Context, p engine.Policy, dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, tableFile))
	if err != nil {
		return fmt.Errorf("load policy %s: %w", p, err)
	}
	t := e.table()
	if err := json.Unmarshal(data, t); err != nil {
		return fmt.Errorf("load policy %s: %w", p, err)
	}
	if len(t.Logits) != e.actions || len(t.M) != e.actions || len(t.V) != e.actions {
		return fmt.Errorf("load policy %s: %d actions, expected %d", p, len(t.Logits), e.actions)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.policies[p] = t
	return nil
}
