package tabular

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"parley/engine"
	"parley/internal/seed"
)

// Tabular is an [engine.Engine] whose policies are tables of logits over actions, whatever the prompt. Answers have one token.
// Logits begin with 0, those of the base stay there. It is for one goroutine.
type Tabular struct {
	actions  int
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
func (e *Tabular) NewPolicy(_ context.Context, p engine.Policy, _ engine.PolicySpec) error {
	if e.policies[p] != nil {
		return fmt.Errorf("new policy %q: it exists already", p)
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
	t, err := e.policy(p)
	if err != nil {
		return nil, err
	}
	g := t.grad
	t.grad = make([]float64, e.actions)
	return g, nil
}

// Sample implements [engine.Engine].
func (e *Tabular) Sample(_ context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	out := make([]engine.Sample, len(reqs))
	for i, r := range reqs {
		t, err := e.policy(r.Policy)
		if err != nil {
			return nil, err
		}
		logprobs := t.logprobs(r.Sampling.Temperature)
		token, left := 0, seed.Stream(r.Seed).Float64()
		for token < e.actions-1 && left >= math.Exp(logprobs[token]) {
			left -= math.Exp(logprobs[token])
			token++
		}
		out[i] = engine.Sample{Tokens: []int{token}, Logprobs: []float32{float32(logprobs[token])}, Stop: engine.StopLength}
	}
	return out, nil
}

// Forward implements [engine.Engine].
func (e *Tabular) Forward(_ context.Context, data []engine.Datum) ([]engine.Output, error) {
	out := make([]engine.Output, len(data))
	for i, d := range data {
		t, err := e.policy(d.Policy)
		if err != nil {
			return nil, err
		}
		for j := range d.Asked() {
			out[i].Logprobs = append(out[i].Logprobs, float32(t.logprobs(d.Sampling.Temperature)[d.Tokens[d.Index(j)]]))
		}
	}
	return out, nil
}

// ForwardBackward implements [engine.Engine].
func (e *Tabular) ForwardBackward(ctx context.Context, data []engine.Datum, loss engine.Loss) error {
	outputs, err := e.Forward(ctx, data)
	if err != nil {
		return err
	}
	grads, err := loss(0, outputs)
	if err != nil {
		return err
	}
	for i, d := range data {
		t := e.policies[d.Policy]
		temperature := d.Sampling.Temperature
		if temperature == 0 {
			temperature = 1
		}
		logprobs := t.logprobs(temperature)
		for x, g := range grads[i].Logprobs {
			for a := range t.grad {
				slope := -math.Exp(logprobs[a])
				if a == d.Tokens[d.Index(x)] {
					slope++
				}
				t.grad[a] += float64(g) * slope / temperature
			}
		}
	}
	return nil
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
	e.policies[p] = t
	return nil
}
