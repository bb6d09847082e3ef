//go:build torch

package torch

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"parley/engine"
	"parley/engine/native"
	"parley/internal/turn"
	"parley/model/modeltest"
	"parley/model/weights"
)

var adam = engine.Adam{LR: 0.002, Beta1: 0.9, Beta2: 0.95, Eps: 1e-8, WeightDecay: 0.1, ClipNorm: 0.5}

// models are folders by name: random models of every shape that the embedded engine branches on, and the reference's tiny ones.
func models(t *testing.T) map[string]string {
	all := map[string]string{}
	for name, c := range modeltest.Shapes() {
		if name == "phi4" {
			continue // transformers refuses frequencies for a part of a head that it rounds otherwise
		}
		all[name] = writeModel(t, c)
	}
	goldens := os.Getenv("PARLEY_GOLDENS")
	if goldens == "" {
		t.Log("PARLEY_GOLDENS names no folder: the reference's models are left out")
		return all
	}
	folders, err := filepath.Glob(filepath.Join(goldens, "models", "*"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no models in %s: %v", goldens, err)
	}
	for _, f := range folders {
		all["golden "+filepath.Base(f)] = f
	}
	return all
}

// A pair is a model in both engines.
type pair struct {
	*testing.T
	torch  *Engine
	native *native.Engine
	both   []engine.Engine
}

func newPair(t *testing.T, folder string) *pair {
	t.Helper()
	src, err := weights.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	n, err := native.Open(src, engine.Options{Threads: 1, ScoreAsSampled: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close() })
	e := openShared(t, options(t, folder))
	return &pair{t, e, n, []engine.Engine{e, n}}
}

// near checks numbers of both engines, as far apart as a share of the largest, or of 1.
func (p *pair) near(what string, got, want []float32, tolerance float64) {
	p.Helper()
	if len(got) != len(want) {
		p.Fatalf("%s: %d numbers of torch, %d of the embedded engine", what, len(got), len(want))
	}
	for i := range got {
		if d := math.Abs(float64(got[i]) - float64(want[i])); !(d <= tolerance*max(1, math.Abs(float64(want[i])))) {
			p.Fatalf("%s: number %d is %v, the embedded engine's %v", what, i, got[i], want[i])
		}
	}
}

func (p *pair) do(what string, f func(e engine.Engine) error) {
	p.Helper()
	for _, e := range p.both {
		if err := f(e); err != nil {
			p.Fatalf("%s: %T: %v", what, e, err)
		}
	}
}

// data are texts of several lengths, under everything that a distribution may have.
func (p *pair) data(names ...engine.Policy) []engine.Datum {
	vocab, longest := p.torch.info.Vocab, min(24, p.torch.info.Window)
	hows := []struct {
		engine.Sampling
		engine.Mask
	}{
		{engine.Sampling{Temperature: 0.8}, engine.Mask{Never: [][2]int{{vocab - 5, vocab}}}},
		{engine.Sampling{}, engine.Mask{}},
		{engine.Sampling{Temperature: 1.2, TopK: 4}, engine.Mask{}},
		{engine.Sampling{Temperature: 1, TopP: 0.7}, engine.Mask{Early: []int{3, 4}, Least: 3}},
	}
	var all []engine.Datum
	for i := range 8 {
		d := engine.Datum{Policy: names[i%len(names)], ScoreFrom: 2 + i%3, Sampling: hows[i%len(hows)].Sampling, Mask: hows[i%len(hows)].Mask}
		for j := range longest - i {
			d.Tokens = append(d.Tokens, (i*31+j*17+5)%(vocab-5))
		}
		if i == 5 {
			d.Given = [][2]int{{d.ScoreFrom + 1, d.ScoreFrom + 3}}
		}
		all = append(all, d)
	}
	return all
}

// waves is a loss whose slopes differ everywhere.
func waves(first int, outputs []engine.Output) ([]engine.Gradient, error) {
	g := make([]engine.Gradient, len(outputs))
	for i, o := range outputs {
		for j := range o.Logprobs {
			g[i].Logprobs = append(g[i].Logprobs, float32(math.Sin(float64((first+i)*7+j))))
		}
		for j := range o.Values {
			g[i].Values = append(g[i].Values, float32(math.Cos(float64((first+i)*5+j))))
		}
	}
	return g, nil
}

// scores compares log-probabilities and values.
func (p *pair) scores(what string, data []engine.Datum, tolerance float64) {
	p.Helper()
	var out [2][]engine.Output
	for i, e := range p.both {
		var err error
		if out[i], err = e.Forward(p.Context(), data); err != nil {
			p.Fatal(err)
		}
	}
	for i := range data {
		p.near(fmt.Sprintf("%s: datum %d", what, i), out[0][i].Logprobs, out[1][i].Logprobs, tolerance)
		p.near(fmt.Sprintf("%s: values of datum %d", what, i), out[0][i].Values, out[1][i].Values, tolerance)
	}
}

// gradients compares what both have for a policy, by the names of parameters.
func (p *pair) gradients(name engine.Policy, data []engine.Datum) {
	p.Helper()
	got, err := p.torch.GradientOf(p.Context(), data, waves)
	if err != nil {
		p.Fatal(err)
	}
	if err := p.native.ForwardBackward(p.Context(), data, waves); err != nil {
		p.Fatal(err)
	}
	want, err := p.native.Gradients(name)
	if err != nil {
		p.Fatal(err)
	}
	known := map[string][]float32{}
	size := 0.0
	for _, g := range want {
		known[g.Name] = g.Data
		for _, v := range g.Data {
			size = max(size, math.Abs(float64(v)))
		}
	}
	own := p.torch.policies[name]
	for _, q := range own.params[:len(own.params)-own.values] {
		for i, v := range known[q.name] {
			if d := math.Abs(got[i] - float64(v)); !(d <= 1e-5*size) {
				p.Fatalf("gradient of %s at %d is %v, the embedded engine's %v; the greatest is %v", q.name, i, got[i], v, size)
			}
		}
		got = got[q.size():]
	}
	if len(got) > 0 || len(known) != len(own.params)-own.values {
		p.Fatalf("%d parameters, the embedded engine's %d", len(own.params)-own.values, len(known))
	}
	if err := p.torch.ForwardBackward(p.Context(), data, waves); err != nil {
		p.Fatal(err)
	}
}

// train takes steps with both engines, and compares their norms.
func (p *pair) train(steps int, data []engine.Datum, names ...engine.Policy) {
	p.Helper()
	for s := range steps {
		p.do("train", func(e engine.Engine) error { return e.ForwardBackward(p.Context(), data, waves) })
		p.step(s, names...)
	}
}

func (p *pair) step(s int, names ...engine.Policy) {
	p.Helper()
	for _, name := range names {
		var infos [2]engine.StepInfo
		for i, e := range p.both {
			var err error
			if infos[i], err = e.Step(p.Context(), name, adam); err != nil {
				p.Fatal(err)
			}
		}
		a, b := infos[0], infos[1]
		for _, x := range [][2]float64{{a.GradNorm, b.GradNorm}, {a.UpdateNorm, b.UpdateNorm}, {a.ParamNorm, b.ParamNorm}} {
			if !(math.Abs(x[0]-x[1]) <= 1e-3*x[1]) {
				p.Errorf("step %d of %s is %+v, the embedded engine's %+v", s, name, a, b)
			}
		}
	}
}

// texts compares samples: both engines draw from one stream.
func (p *pair) texts(tolerance float64, names ...engine.Policy) {
	p.Helper()
	vocab := p.torch.info.Vocab
	var reqs []engine.SampleRequest
	for i := range 8 {
		for s := range 2 {
			r := engine.SampleRequest{Policy: names[i%len(names)], MaxTokens: min(12, p.torch.info.Window-3), Seed: uint64(i + 10*s), Sampling: engine.Sampling{Temperature: []float64{1, 0, 0.7, 1.3}[i%4]}}
			for j := range 1 + i%3 {
				r.Prompt = append(r.Prompt, (i*13+j*7+1)%vocab)
			}
			if i > 3 {
				r.Sampling.TopK, r.Sampling.TopP, r.Never = 5, 0.9, [][2]int{{vocab / 2, vocab/2 + 3}}
			}
			if i%2 == 1 {
				r.Stop, r.MinTokens = []int{1, 2, 3, 4, 5, 6}, 3
			}
			reqs = append(reqs, r)
		}
	}
	var out [2][]engine.Sample
	for i, e := range p.both {
		var err error
		if out[i], err = e.Sample(p.Context(), reqs); err != nil {
			p.Fatal(err)
		}
	}
	for i := range reqs {
		a, b := out[0][i], out[1][i]
		if !slices.Equal(a.Tokens, b.Tokens) || a.Stop != b.Stop {
			p.Errorf("request %d draws %v, %s; the embedded engine %v, %s", i, a.Tokens, a.Stop, b.Tokens, b.Stop)
			continue
		}
		p.near(fmt.Sprintf("request %d", i), a.Logprobs, b.Logprobs, tolerance)
	}
}

// exchange saves with one engine and opens with the other, in both directions, and goes on.
func (p *pair) exchange(data func(names ...engine.Policy) []engine.Datum, name engine.Policy) {
	p.Helper()
	for i, from := range p.both {
		dir := filepath.Join(p.TempDir(), "policy")
		if err := from.Save(p.Context(), name, dir); err != nil {
			p.Fatal(err)
		}
		moved := engine.Policy(fmt.Sprintf("moved%d", i))
		p.do("load", func(e engine.Engine) error { return e.Load(p.Context(), moved, dir) })
		p.scores(fmt.Sprintf("policy saved by %T", from), data(moved), 1e-4)
		p.train(2, data(moved), moved)
		p.scores(fmt.Sprintf("policy saved by %T after steps", from), data(moved), 1e-3)
	}
}

// TestLikeEmbedded compares everything that both engines have, in every family.
func TestLikeEmbedded(t *testing.T) {
	all := models(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !turn.Has(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			p := newPair(t, all[name])
			specs := map[engine.Policy]engine.PolicySpec{
				"plain":  {Rank: 4, Alpha: 8, Seed: 1},
				"linear": {Rank: 3, Alpha: 3, Seed: 2, ValueHead: true, ValueInit: 0.1},
				"hidden": {Rank: 2, Alpha: 8, Seed: 3, ValueHead: true, ValueInit: 0.1, ValueHidden: 5},
			}
			for name, spec := range specs {
				p.do("new policy", func(e engine.Engine) error { return e.NewPolicy(p.Context(), name, spec) })
			}
			names := slices.Sorted(maps.Keys(specs))
			p.scores("fresh policies", p.data(append(names, engine.Base)...), 1e-4)
			p.texts(1e-4, append(names, engine.Base)...)
			p.gradients("plain", p.data("plain"))
			p.step(0, "plain")
			p.gradients("plain", p.data("plain"))
			p.step(1, "plain")
			p.train(10, p.data(names...), names...)
			p.scores("trained policies", p.data(names...), 1e-3)
			p.texts(1e-3, names...)
			p.exchange(p.data, "hidden")
		})
	}
}
