package native

import (
	"math"
	"slices"
	"testing"

	"parley/engine"
	"parley/internal/seed"
	"parley/model/modeltest"
)

// objective is Σ c·logprob + Σ d·value with coefficients that vary, and its gradient as a loss.
type objective struct{ value float64 }

func (o *objective) loss(first int, outputs []engine.Output) ([]engine.Gradient, error) {
	gradients := make([]engine.Gradient, len(outputs))
	for i, out := range outputs {
		g := &gradients[i]
		for j, l := range out.Logprobs {
			c := math.Cos(float64(5*(first+i) + j))
			o.value += c * float64(l)
			g.Logprobs = append(g.Logprobs, float32(c))
		}
		for j, v := range out.Values {
			d := math.Sin(float64(2*(first+i) + 3*j))
			o.value += d * float64(v)
			g.Values = append(g.Values, float32(d))
		}
	}
	return gradients, nil
}

// Gradients agree with the differences of the objective along random directions, one parameter tensor at a time.
func TestGradientIsTheDerivative(t *testing.T) {
	for name, c := range modeltest.Shapes() {
		t.Run(name, func(t *testing.T) {
			for _, sampled := range []bool{false, true} {
				e := openTiny(t, c, engine.Options{BatchTokens: 40, ScoreAsSampled: sampled})
				for _, p := range lively(t, e)[1:] {
					data := kin([]engine.Policy{p}, 6, c.Vocab)
					checkDerivative(t, e, e.policies[p], data)
				}
			}
		})
	}
}

func checkDerivative(t *testing.T, e *Engine, p *policy, data []engine.Datum) {
	t.Helper()
	for i := range data {
		if data[i].Sampling.TopK > 0 || data[i].Sampling.TopP > 0 {
			data[i].Sampling.TopK, data[i].Sampling.TopP = 0, 0 // a small step can move a cut; TestCutGradient tests cuts
		}
	}
	gradients(t, e, data, len(data))
	p.clearGradients()
	if err := e.ForwardBackward(t.Context(), data, (&objective{}).loss); err != nil {
		t.Fatal(err)
	}
	for i, q := range p.params {
		stream := seed.Stream(uint64(i))
		direction := make([]float32, q.size())
		slope, size := 0.0, 0.0
		for j := range direction {
			direction[j] = float32(stream.NormFloat64())
			g := float64(q.g[j])
			if q.lookupGrad != nil {
				g += float64(q.lookupGrad[j])
			}
			slope += g * float64(direction[j])
			size += g * g
		}
		const step = 5e-4
		up, down := objectiveAt(t, e, p, q, direction, step, data), objectiveAt(t, e, p, q, direction, -step, data)
		got := (up - down) / (2 * step)
		if limit := 0.02*math.Sqrt(size) + 0.02; size == 0 || math.Abs(got-slope) > limit {
			t.Errorf("policy %s, %s: slope %v, by differences %v", p.name, q.name, slope, got)
		}
	}
}

// objectiveAt evaluates the objective with one parameter moved.
func objectiveAt(t *testing.T, e *Engine, p *policy, q *param, direction []float32, step float32, data []engine.Datum) float64 {
	t.Helper()
	old := slices.Clone(q.values())
	move := func(to func(j int) float32) {
		p.edit(e.k, func(i int, w []float32) {
			for j := range w {
				if p.params[i] == q {
					w[j] = to(j)
				}
			}
		})
	}
	move(func(j int) float32 { return old[j] + step*direction[j] })
	defer move(func(j int) float32 { return old[j] })
	outputs, err := e.Forward(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	var o objective
	o.loss(0, outputs)
	return o.value
}

// The gradient of a log-probability under masks, temperature and cuts is (onehot - p)/T over what they kept: seen in the gradient
// of the head's weight, which is that times the hidden state.
func TestCutGradient(t *testing.T) {
	c := modeltest.Shapes()["untied"]
	e := openTiny(t, c, engine.Options{})
	lively(t, e)
	p := e.policies["full"]
	for i, how := range samplings {
		d := engine.Datum{Policy: "full", Tokens: []int{4, 8, 15, 16}, ScoreFrom: 3, Sampling: how, Mask: masks(c.Vocab)[i%4]}
		p.clearGradients()
		if err := e.ForwardBackward(t.Context(), []engine.Datum{d}, ones); err != nil {
			t.Fatal(err)
		}
		hidden, logits := e.states(t, []engine.Datum{{Policy: "full", Tokens: d.Tokens[:3]}})
		hidden, logits = hidden[2*c.Hidden:], logits[2*c.Vocab:]
		maskAt(d.Mask, 0).apply(logits, 0, 16)
		probability, _ := dumb(logits, normalized(how), 16)
		want := make([]float32, c.Vocab*c.Hidden)
		for token, q := range probability {
			if token == 16 {
				q--
			}
			for j, h := range hidden { // the loss is minus the log-probability
				want[token*c.Hidden+j] = float32(q / normalized(how).Temperature * float64(h))
			}
		}
		near(t, "gradient of the head", p.net.head.weight.g, want, 1e-5)
	}
}
