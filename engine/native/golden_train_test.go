package native

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"parley/engine"
)

// trainGolden is golden.json of a case of train/.
type trainGolden struct {
	Checkpoint string
	Loss       string
	Optimizer  *struct {
		LR          []float64
		Betas       [2]float64
		Eps         float64
		WeightDecay float64 `json:"weight_decay"`
		Clip        float64 `json:"clip_grad_norm"`
	}
	LossPerStep []float64 `json:"loss_per_step"`
	Norms       []float64 `json:"gradient_norm_before_clipping_per_step"`
}

func TestGoldensTrain(t *testing.T) {
	for _, name := range names(t, "train", "") {
		t.Run(name, func(t *testing.T) {
			var g trainGolden
			readJSON(t, "train/"+name+"/golden.json", &g)
			e := openGolden(t, g.Checkpoint, engine.Options{})
			a := openArrays(t, "train/"+name+"/golden.safetensors")
			p := loadGolden(t, e, name, a)
			l := goldenLoss{g: g, weights: a.floats("weights"), returns: a.floats("returns"), mask: a.floats("value_mask")}
			trainAsGolden(t, e, p, a, &l)
		})
	}
}

// loadGolden makes the policy "p" that a case trains.
func loadGolden(t *testing.T, e *Engine, name string, a arrays) *policy {
	t.Helper()
	var err error
	if strings.HasPrefix(name, "full-") {
		err = e.NewPolicy(t.Context(), "p", engine.PolicySpec{Full: true})
	} else {
		err = e.Load(t.Context(), "p", filepath.Join(goldens(t), "train", name))
	}
	if err != nil {
		t.Fatal(err)
	}
	p := e.policies["p"]
	if _, ok := a.Lookup("param.value_head.weight"); ok {
		p.addValueHead(e.shape.Hidden, 0)
		copy(p.value.w.w, a.floats("param.value_head.weight"))
		copy(p.value.b.w, a.floats("param.value_head.bias"))
	}
	return p
}

// goldenLoss is L = Σ weights·logprob + Σ mask·(v - return)²/Σ mask, the second part with a value head only.
type goldenLoss struct {
	g                      trainGolden
	weights, returns, mask []float32
	starts                 []int // packed index of each datum's first token
	value                  float64
}

func (l *goldenLoss) loss(first int, outputs []engine.Output) ([]engine.Gradient, error) {
	masked := 0.0
	for _, m := range l.mask {
		masked += float64(m)
	}
	gradients := make([]engine.Gradient, len(outputs))
	for i, o := range outputs {
		at := l.starts[first+i]
		if strings.Contains(l.g.Loss, "logprob[i]") {
			gradients[i].Logprobs = l.weights[at : at+len(o.Logprobs)]
		}
		for j, w := range gradients[i].Logprobs {
			l.value += float64(w) * float64(o.Logprobs[j])
		}
		gradients[i].Values = make([]float32, len(o.Values))
		for j, v := range o.Values {
			d, m := float64(v)-float64(l.returns[at+j]), float64(l.mask[at+j])
			l.value += m * d * d / masked
			gradients[i].Values[j] = float32(2 * m * d / masked)
		}
	}
	return gradients, nil
}

// trainAsGolden compares gradients, losses, gradient norms, and the parameters after the steps.
func trainAsGolden(t *testing.T, e *Engine, p *policy, a arrays, l *goldenLoss) {
	data := a.sequences("p", engine.Sampling{})
	for at, i := 0, 0; i < len(data); i++ {
		l.starts = append(l.starts, at)
		at += len(data[i].Tokens)
	}
	for step, want := range l.g.LossPerStep {
		l.value = 0
		if err := e.ForwardBackward(t.Context(), data, l.loss); err != nil {
			t.Fatal(err)
		}
		if limit := 2e-4 * float64(len(l.weights)); math.Abs(l.value-want) > limit {
			t.Errorf("loss before step %d is %v, want %v", step+1, l.value, want)
		}
		if step == 0 {
			compareGradients(t, p, a)
		}
		if l.g.Optimizer == nil || step == len(l.g.Optimizer.LR) {
			break
		}
		o := l.g.Optimizer
		info, err := e.Step(t.Context(), "p", engine.Adam{
			LR: o.LR[step], Beta1: o.Betas[0], Beta2: o.Betas[1], Eps: o.Eps,
			WeightDecay: o.WeightDecay, ClipNorm: o.Clip,
		})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(info.GradNorm-l.g.Norms[step]) > 1e-3*l.g.Norms[step] {
			t.Errorf("gradient norm of step %d is %v, want %v", step+1, info.GradNorm, l.g.Norms[step])
		}
	}
	if l.g.Optimizer == nil {
		return
	}
	for _, q := range p.params {
		near(t, "after3."+q.name, q.values(), a.floats("after3."+q.name), 1e-4)
	}
}

func compareGradients(t *testing.T, p *policy, a arrays) {
	t.Helper()
	for _, tensor := range a.Tensors() {
		name, ok := strings.CutPrefix(tensor.Name, "grad.")
		if !ok {
			continue
		}
		want, largest := a.floats(tensor.Name), 0.0
		for _, g := range want {
			largest = max(largest, math.Abs(float64(g)))
		}
		found := false
		for _, q := range p.params {
			if q.name == name {
				found = true
				got := append([]float32(nil), q.g...)
				for i, g := range q.lookupGrad {
					got[i] += g
				}
				near(t, tensor.Name, got, want, 1e-4*largest)
			}
		}
		if !found {
			t.Errorf("the policy does not train %s", name)
		}
	}
}
