package native

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/engine"
	"parley/model/weights"
)

// spoiled is a source with one thing wrong.
type spoiled struct {
	weights.Source
	tensors func([]weights.Tensor) []weights.Tensor
	bad     string // tensor with a NaN
}

func (s spoiled) Tensors() []weights.Tensor {
	if s.tensors == nil {
		return s.Source.Tensors()
	}
	return s.tensors(slices.Clone(s.Source.Tensors()))
}

func (s spoiled) Float32(name string, dst []float32) error {
	err := s.Source.Float32(name, dst)
	if name == s.bad {
		dst[len(dst)-1] = float32(math.NaN())
	}
	return err
}

func TestOpenRefusesDamage(t *testing.T) {
	const victim = "model.layers.1.mlp.up_proj.weight"
	at := func(all []weights.Tensor) int {
		return slices.IndexFunc(all, func(w weights.Tensor) bool { return w.Name == victim })
	}
	for name, c := range map[string]struct {
		source spoiled
		want   string
	}{
		"missing": {spoiled{tensors: func(a []weights.Tensor) []weights.Tensor { return slices.Delete(a, at(a), at(a)+1) }}, victim},
		"shape":   {spoiled{tensors: func(a []weights.Tensor) []weights.Tensor { a[at(a)].Shape = []int{24, 15}; return a }}, "[24 15]"},
		"extra": {spoiled{tensors: func(a []weights.Tensor) []weights.Tensor {
			return append(a, weights.Tensor{Name: "model.layers.2.extra", Shape: []int{1}})
		}}, "model.layers.2.extra"},
		"nan":      {spoiled{bad: victim}, victim},
		"nan norm": {spoiled{bad: "model.norm.weight"}, "model.norm.weight"},
	} {
		c.source.Source = Random(tiny, 1)
		if _, err := Open(c.source, engine.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v does not say %s", name, err, c.want)
		}
	}
	if _, err := Open(Random(tiny, 1), engine.Options{Kernels: "abacus"}); err == nil {
		t.Error("an unknown kernel set was accepted")
	}
}

// Old checkpoints of tied models carry a copy of the embedding as head; it is not needed.
func TestOpenIgnoresCopies(t *testing.T) {
	src := spoiled{Source: Random(tiny, 1), tensors: func(a []weights.Tensor) []weights.Tensor {
		return append(a, weights.Tensor{Name: "lm_head.weight", Shape: []int{tiny.Vocab, tiny.Hidden}},
			weights.Tensor{Name: "model.layers.0.self_attn.rotary_emb.inv_freq", Shape: []int{2}})
	}}
	e, err := Open(src, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e.Close()
}

// A loss that fails in a later batch leaves the gradients as they were before the call.
func TestLossErrorRestoresGradients(t *testing.T) {
	e := openTiny(t, tiny, engine.Options{BatchTokens: 20})
	data := distinct(lively(t, e)[1:], 12, tiny.Vocab)
	want := gradients(t, e, data[:4], 4)
	mine := errors.New("mine")
	calls := 0
	err := e.ForwardBackward(t.Context(), data, func(first int, o []engine.Output) ([]engine.Gradient, error) {
		if calls++; calls == 3 {
			return nil, mine
		}
		return coupling(first, o)
	})
	if !errors.Is(err, mine) || calls != 3 {
		t.Fatalf("error %v after %d calls of the loss", err, calls)
	}
	got := map[string][]uint32{}
	for name, p := range e.policies {
		for _, q := range p.params {
			got[q.name+" of \""+string(name)+"\""] = append(bits(q.g), bits(q.lookupGrad)...)
		}
	}
	sameBits(t, "after the error", got, want)
}

// Parameters that overflow the forward pass are reported with the datum, by every method.
func TestOverflowIsReported(t *testing.T) {
	e := openTiny(t, tiny, engine.Options{})
	lively(t, e)
	e.policies["p"].edit(e.k, func(_ int, w []float32) {
		for i := range w {
			w[i] = 1e30
		}
	})
	data := []engine.Datum{{Tokens: []int{1, 2}, ScoreFrom: 1}, {Policy: "p", Tokens: []int{1, 2, 3}, ScoreFrom: 1}}
	_, err := e.Forward(t.Context(), data)
	if !errors.Is(err, engine.ErrNotFinite) || !strings.Contains(err.Error(), `datum 1 of policy "p"`) {
		t.Errorf("Forward: error %v", err)
	}
	if err := e.ForwardBackward(t.Context(), data[1:], coupling); !errors.Is(err, engine.ErrNotFinite) {
		t.Errorf("ForwardBackward: error %v", err)
	}
	for _, temperature := range []float64{0, 1} {
		reqs := []engine.SampleRequest{{Policy: "p", Prompt: []int{1, 2}, MaxTokens: 3, Sampling: engine.Sampling{Temperature: temperature}}}
		if _, err := e.Sample(t.Context(), reqs); !errors.Is(err, engine.ErrNotFinite) {
			t.Errorf("Sample at temperature %v: error %v", temperature, err)
		}
	}
}

// A step on a gradient that is not finite names the parameter, takes no step and clears.
func TestStepNotFinite(t *testing.T) {
	e := openTiny(t, tiny, engine.Options{})
	lively(t, e)
	p := e.policies["r"]
	before := bits(p.params[3].values())
	p.params[3].g[1] = float32(math.Inf(-1))
	_, err := e.Step(t.Context(), "r", testAdam)
	if !errors.Is(err, engine.ErrNotFinite) || !strings.Contains(err.Error(), p.params[3].name) {
		t.Errorf("error %v does not name %s", err, p.params[3].name)
	}
	if p.step != 0 || !slices.Equal(bits(p.params[3].values()), before) || p.params[3].g[1] != 0 {
		t.Error("the step was taken, or the gradients were kept")
	}
}

func TestStepRefusesSettings(t *testing.T) {
	e := openTiny(t, tiny, engine.Options{})
	lively(t, e)
	for _, change := range []func(*engine.Adam){
		func(a *engine.Adam) { a.LR = math.NaN() }, func(a *engine.Adam) { a.Beta1 = 1 }, func(a *engine.Adam) { a.Beta2 = -0.1 },
		func(a *engine.Adam) { a.Eps = 0 }, func(a *engine.Adam) { a.WeightDecay = math.Inf(1) }, func(a *engine.Adam) { a.ClipNorm = -1 },
	} {
		opt := testAdam
		change(&opt)
		if _, err := e.Step(t.Context(), "p", opt); err == nil {
			t.Errorf("settings %+v were accepted", opt)
		}
	}
	if _, err := e.Step(t.Context(), engine.Base, testAdam); err == nil {
		t.Error("the base made a step")
	}
}

// countdown is a context that is cancelled after Err was asked n times.
type countdown struct {
	context.Context
	n int
}

func (c *countdown) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

// Cancellation is honoured between steps and between passes, and leaves the engine in order.
func TestCancelBetweenSteps(t *testing.T) {
	e := openTiny(t, tiny, engine.Options{BatchTokens: 20})
	data := distinct(lively(t, e)[1:], 12, tiny.Vocab)
	reqs := []engine.SampleRequest{{Policy: "p", Prompt: []int{1, 2, 3}, MaxTokens: 40, Sampling: engine.Sampling{Temperature: 1}}}
	want, err := e.Sample(t.Context(), reqs)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 5 {
		if _, err := e.Sample(&countdown{t.Context(), n}, reqs); !errors.Is(err, context.Canceled) {
			t.Errorf("sample cancelled after %d checks: error %v", n, err)
		}
		if err := e.ForwardBackward(&countdown{t.Context(), n}, data, coupling); !errors.Is(err, context.Canceled) {
			t.Errorf("forward-backward cancelled after %d checks: error %v", n, err)
		}
		for _, p := range e.policies {
			for _, q := range p.params {
				if slices.ContainsFunc(q.g, func(g float32) bool { return g != 0 }) {
					t.Fatalf("a cancelled call left a gradient of %s", q.name)
				}
			}
		}
	}
	got, err := e.Sample(t.Context(), reqs)
	if err != nil || !slices.Equal(got[0].Tokens, want[0].Tokens) {
		t.Errorf("after cancelled calls: %v, error %v, want %v", got, err, want)
	}
}

// A completion ends where the context does.
func TestSampleContextLength(t *testing.T) {
	e := openTiny(t, tiny, engine.Options{})
	prompt := make([]int, 60)
	reqs := []engine.SampleRequest{{Prompt: prompt, MaxTokens: 100}, {Prompt: append(prompt, 0, 0, 0, 0), MaxTokens: 5}}
	got, err := e.Sample(t.Context(), reqs)
	if err != nil {
		t.Fatal(err)
	}
	if len(got[0].Tokens) != 4 || got[0].Stop != engine.StopLength || len(got[1].Tokens) != 0 || got[1].Stop != engine.StopLength {
		t.Errorf("in a context of 64: %v", got)
	}
	if _, err := e.Sample(t.Context(), []engine.SampleRequest{{Prompt: make([]int, 65), MaxTokens: 1}}); err == nil {
		t.Error("a prompt longer than the context was accepted")
	}
}

func TestRandomIsSeeded(t *testing.T) {
	read := func(s uint64) []float32 {
		x := make([]float32, tiny.Vocab*tiny.Hidden)
		if err := Random(tiny, s).Float32("model.embed_tokens.weight", x); err != nil {
			t.Fatal(err)
		}
		return x
	}
	if a, b, c := read(1), read(1), read(2); !slices.Equal(a, b) || slices.Equal(a, c) {
		t.Error("the weights are no function of the seed, or a constant one")
	}
	if err := Random(tiny, 1).Float32("no.such.tensor", nil); err == nil {
		t.Error("a tensor that is not there was read")
	}
}

// A beta that is 1 in float32 leaves a second moment of 0, and steps without bound.
func TestBetaNearOne(t *testing.T) {
	for _, c := range []struct {
		adam    engine.Adam
		refused bool
	}{
		{engine.Adam{LR: 0.01, Beta1: 0.9, Beta2: 0.99999, Eps: 1e-8}, false},
		{engine.Adam{LR: 0.01, Beta1: 0.9, Beta2: 0.99999999, Eps: 1e-8}, true},
		{engine.Adam{LR: 0.01, Beta1: 0.99999999, Beta2: 0.99, Eps: 1e-8}, true},
	} {
		e := openTiny(t, tiny, engine.Options{})
		lively(t, e)
		if err := e.ForwardBackward(t.Context(), []engine.Datum{{Policy: "p", Tokens: []int{1, 2, 3, 4}, ScoreFrom: 1}}, coupling); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Step(t.Context(), "p", c.adam); (err != nil) != c.refused {
			t.Errorf("%+v: %v", c.adam, err)
		}
	}
}

// Gradients whose squares are infinite are reported and not stepped along: the policy could be saved, and never loaded.
func TestHugeGradient(t *testing.T) {
	e := openTiny(t, tiny, engine.Options{})
	lively(t, e)
	data := []engine.Datum{{Policy: "p", Tokens: []int{1, 2, 3, 4}, ScoreFrom: 1}}
	backward := func() {
		err := e.ForwardBackward(t.Context(), data, func(int, []engine.Output) ([]engine.Gradient, error) {
			return []engine.Gradient{{Logprobs: []float32{1e25, -1e25, 1e24}}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	backward()
	adam := engine.Adam{LR: 0.01, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8}
	if _, err := e.Step(t.Context(), "p", adam); !errors.Is(err, engine.ErrNotFinite) {
		t.Fatalf("the error is %v", err)
	}
	backward()
	adam.ClipNorm = 1
	if _, err := e.Step(t.Context(), "p", adam); err != nil {
		t.Fatalf("clipped to a norm of 1: %v", err)
	}
	dir := t.TempDir() + "/p"
	if err := e.Save(t.Context(), "p", dir); err != nil {
		t.Fatal(err)
	}
	if err := e.Load(t.Context(), "p", dir); err != nil {
		t.Error(err)
	}
}

// TestDrop: a policy that was dropped is not there, its name is free, and others are as they were.
func TestDrop(t *testing.T) {
	e := openTiny(t, tiny, engine.Options{})
	lively(t, e)
	score := func() []float32 {
		t.Helper()
		out, err := e.Forward(t.Context(), []engine.Datum{{Policy: "p", Tokens: []int{1, 2, 3, 4}, ScoreFrom: 1}})
		if err != nil {
			t.Fatal(err)
		}
		return out[0].Logprobs
	}
	before := score()
	request := []engine.SampleRequest{{Policy: "x", Prompt: []int{1, 2}, MaxTokens: 3, Sampling: engine.Sampling{Temperature: 1}}}
	for range 2 {
		if err := e.NewPolicy(t.Context(), "x", engine.PolicySpec{Rank: 2, Alpha: 2, Seed: 1}); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Sample(t.Context(), request); err != nil {
			t.Fatal(err)
		}
		if err := e.Drop("x"); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Sample(t.Context(), request); err == nil {
			t.Error("a policy that was dropped samples")
		}
	}
	if !slices.Equal(before, score()) {
		t.Error("another policy is not as it was")
	}
	for _, name := range []engine.Policy{engine.Base, "x"} {
		if err := e.Drop(name); err == nil {
			t.Errorf("%q was dropped", name)
		}
	}
}

// TestLargeEps: an eps far above the gradients takes a step along them.
func TestLargeEps(t *testing.T) {
	e := openTiny(t, tiny, engine.Options{})
	lively(t, e)
	const eps = 1e12
	if err := e.ForwardBackward(t.Context(), []engine.Datum{{Policy: "p", Tokens: []int{1, 2, 3, 4}, ScoreFrom: 1}}, coupling); err != nil {
		t.Fatal(err)
	}
	info, err := e.Step(t.Context(), "p", engine.Adam{LR: 1e5, Eps: eps})
	if want := info.GradNorm * 1e5 / eps; err != nil || math.Abs(info.UpdateNorm-want) > 0.01*want {
		t.Errorf("a step of %g along a gradient of %g, want %g; %v", info.UpdateNorm, info.GradNorm, want, err)
	}
}
