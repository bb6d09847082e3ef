package native

import (
	"math"
	"slices"
	"testing"

	"parley/engine"
	"parley/internal/turn"
	"parley/model/config"
	"parley/model/modeltest"
)

// Activations that are computed again give the gradients of those that are kept, bit for bit, however many layers do.
func TestRecomputation(t *testing.T) {
	for name, c := range modeltest.Shapes() {
		t.Run(name, func(t *testing.T) {
			c.Layers = 5
			if c.Window != nil && slices.Contains(c.Window, 0) {
				c.Window = []int{3, 0, 3, 0, 0}
			} else if c.Window != nil {
				c.Window = slices.Repeat([]int{3}, c.Layers)
			}
			if c.NoRope != nil {
				c.NoRope = []bool{true, false, true, false, false}
			}
			e := openTiny(t, c, engine.Options{})
			data := kin(lively(t, e)[1:], 16, c.Vocab)
			want := gradients(t, e, data, 16)
			for _, layers := range []int{1, 3, 5} {
				e := openTiny(t, c, engine.Options{})
				lively(t, e)
				e.recompute = func(*pass) int { return layers }
				sameBits(t, "recomputed", gradients(t, e, data, 16), want)
			}
		})
	}
}

// deep is a model whose activations are mostly those of its layers.
var deep = config.Config{
	ModelType: "llama", Vocab: 512, Hidden: 128, Intermediate: 384, Layers: 12, Heads: 4, KVHeads: 2, HeadDim: 32,
	Context: 8192, NormEps: 1e-5, Rope: config.Rope{Theta: 10000}, Tied: true,
}

// What a pass takes is what was predicted, within a tenth, with all activations kept and with some.
func TestPassMemoryIsPredicted(t *testing.T) {
	for i, c := range []struct {
		name   string
		budget int64
		spec   engine.PolicySpec
	}{
		{"kept", 1 << 40, engine.PolicySpec{Rank: 8, Alpha: 16}},
		{"recomputed", 100 << 20, engine.PolicySpec{Rank: 8, Alpha: 16}},
		{"high ranks", 1 << 40, engine.PolicySpec{Rank: 64, Alpha: 16}},
		{"high ranks recomputed", 100 << 20, engine.PolicySpec{Rank: 64, Alpha: 16}},
		{"high ranks of two", 1 << 40, engine.PolicySpec{Rank: 128, Alpha: 16, Targets: []string{"q_proj", "v_proj"}}},
	} {
		if !turn.Share(i) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			opt, spec := engine.Options{BatchTokens: 2048, ActivationMemory: c.budget}, c.spec
			e := openTiny(t, deep, opt)
			if err := e.NewPolicy(t.Context(), "p", spec); err != nil {
				t.Fatal(err)
			}
			data := make([]engine.Datum, 4)
			for i := range data {
				data[i] = engine.Datum{Policy: "p", Tokens: make([]int, 512), ScoreFrom: 256}
				for j := range data[i].Tokens {
					data[i].Tokens[j] = (i + j*j) % deep.Vocab
				}
			}
			if err := e.ForwardBackward(t.Context(), data, ones); err != nil {
				t.Fatal(err)
			}
			want := NewPlan(deep, opt).Footprint(engine.Load{Length: 512}, []engine.PolicySpec{spec}).Activations
			if got := floatBytes * float64(e.arena.peak); math.Abs(got-want) > 0.1*want {
				t.Errorf("the pass took %.0f MB, predicted %.0f MB", got/1e6, want/1e6)
			}
		})
	}
}

// The same of passes that keep nothing, and of the text that samples leave behind.
func TestSamplingMemoryIsPredicted(t *testing.T) {
	opt := engine.Options{BatchTokens: 2048}
	e := openTiny(t, deep, opt)
	const batch, prompt, tokens = 8, 256, 100
	kept, growing := CompletionRoom(tokens)
	var reqs []engine.SampleRequest
	for i := range batch {
		r := engine.SampleRequest{Prompt: make([]int, prompt), MaxTokens: tokens, Sampling: engine.Sampling{Temperature: 1}}
		for j := range r.Prompt {
			r.Prompt[j] = (i + j*j) % deep.Vocab
		}
		reqs = append(reqs, r)
	}
	if _, err := e.Sample(t.Context(), reqs); err != nil {
		t.Fatal(err)
	}
	want := NewPlan(deep, opt).Footprint(engine.Load{Length: prompt + tokens, Tokens: batch * prompt, CachedTokens: batch * (prompt + kept + growing), Frozen: true}, nil)
	if got := floatBytes * float64(e.arena.peak); math.Abs(got-want.Activations) > 0.1*want.Activations {
		t.Errorf("the pass took %.1f MB, predicted %.1f MB", got/1e6, want.Activations/1e6)
	}
	if got := floatBytes * float64(shapeOf(deep).pageFloats(e.prefixCache.pages.tokens)); math.Abs(got-want.Cache) > 0.1*want.Cache {
		t.Errorf("text took %.1f MB, predicted %.1f MB", got/1e6, want.Cache/1e6)
	}
}

// The fewer bytes, the fewer tokens a pass has; below the least, layers are recomputed, at last all.
func TestBudget(t *testing.T) {
	last, layers := math.MaxInt, 0
	for _, budget := range []int64{4 << 30, 256 << 20, 64 << 20, 40 << 20, 20 << 20, 1} {
		o := settings{engine.Options{ActivationMemory: budget}}
		rows := o.batchTokens(shapeOf(deep))
		again := shapeOf(deep).sizing(ranks{}).recomputed(rows, o.passMemory())
		if rows > last || again < layers || again > 0 && rows > minPassTokens {
			t.Errorf("%d bytes: %d tokens, %d layers recomputed", budget, rows, again)
		}
		last, layers = rows, again
	}
	if last != minPassTokens || layers != deep.Layers {
		t.Errorf("with one byte there are %d tokens and %d layers recomputed", last, layers)
	}
}
