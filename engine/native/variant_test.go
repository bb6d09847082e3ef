package native

import (
	"math"
	"slices"
	"testing"

	"parley/engine"
	"parley/model/config"
	"parley/model/modeltest"
)

// dynamicTheta is the base of the frequencies of d-wide heads that fits n tokens (NTK-aware scaling).
func dynamicTheta(r config.Rope, n, d int) float64 {
	stretch := r.Factor*float64(n)/float64(r.Original) - (r.Factor - 1)
	return r.Theta * math.Pow(stretch, float64(d)/float64(d-2))
}

// fixed returns models with the weights of shape c whose frequencies do not follow the length: those of short sequences, and
// those of a sequence of n tokens.
func fixed(c config.Config, n int) (short, long config.Config) {
	short, long = c, c
	switch c.Rope.Type {
	case "longrope":
		short.Rope.Long, long.Rope.Short = c.Rope.Short, c.Rope.Long
	case "dynamic":
		short.Rope = config.Rope{Theta: c.Rope.Theta}
		long.Rope = config.Rope{Theta: dynamicTheta(c.Rope, n, c.HeadDim)}
	}
	return short, long
}

// A sequence that outgrows the length before scaling turns by the long frequencies as a whole when it is scored. A sample
// that outgrows it is drawn by the short ones until then, and by the long ones over all its tokens after that.
func TestFrequenciesFollowLength(t *testing.T) {
	for _, name := range []string{"phi4", "dynamic"} {
		c := modeltest.Shapes()[name]
		e := openTiny(t, c, engine.Options{})
		policies := lively(t, e)
		f := fixedEngines{c, map[int]*Engine{}}
		prompt := []int{3, 1, 4, 1, 5, 9, 2, 6}
		for _, p := range policies {
			// The first two are the same sample, so that their caches have all in common when they start anew.
			var reqs []engine.SampleRequest
			for _, seed := range []uint64{0, 0, 1} {
				reqs = append(reqs, engine.SampleRequest{
					Policy: p, Prompt: prompt, MaxTokens: 12, Seed: seed,
					Sampling: engine.Sampling{Temperature: 1},
				})
			}
			samples, err := e.Sample(t.Context(), reqs)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range samples {
				tokens := append(slices.Clone(prompt), s.Tokens...)
				if got, want := score(t, e, p, tokens), f.score(t, p, tokens, len(tokens)); !slices.Equal(got, want) {
					t.Errorf("%s, policy %s: scored %v, want %v", name, p, got, want)
				}
				f.checkDraws(t, p, tokens, s.Logprobs)
			}
		}
	}
}

// checkDraws compares the log-probabilities that the last of tokens were drawn with to the scores under the frequencies of the
// tokens that each draw saw.
func (f fixedEngines) checkDraws(t *testing.T, p engine.Policy, tokens []int, logprobs []float32) {
	t.Helper()
	for i, l := range logprobs {
		n := len(tokens) - len(logprobs) + i
		if want := f.score(t, p, tokens[:n+1], n); math.Float32bits(l) != want[n-1] {
			t.Errorf("%s, policy %s: the token after %d was drawn with %v, want %v", f.shape.Rope.Type, p, n, l, math.Float32frombits(want[n-1]))
		}
	}
}

// score returns the bits of the log-probabilities of all tokens but the first.
func score(t *testing.T, e *Engine, p engine.Policy, tokens []int) []uint32 {
	t.Helper()
	out, err := e.Forward(t.Context(), []engine.Datum{{Policy: p, Tokens: tokens, ScoreFrom: 1, Sampling: engine.Sampling{Temperature: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	return bits(out[0].Logprobs)
}

// fixedEngines are engines of a shape whose frequencies are those of a sequence of n tokens, by n.
type fixedEngines struct {
	shape config.Config
	by    map[int]*Engine
}

// score scores with the frequencies of a sequence of n tokens.
func (f fixedEngines) score(t *testing.T, p engine.Policy, tokens []int, n int) []uint32 {
	t.Helper()
	if f.by[n] == nil {
		use, long := fixed(f.shape, n)
		if n > f.shape.Rope.Original {
			use = long
		}
		f.by[n] = openTiny(t, use, engine.Options{})
		lively(t, f.by[n])
	}
	return score(t, f.by[n], p, tokens)
}

// What a request no longer sees goes back to the pool while it is still in flight.
func TestOutgrownPagesAreReused(t *testing.T) {
	c := modeltest.Shapes()["dynamic"]
	e := openTiny(t, c, engine.Options{})
	if _, err := e.Sample(t.Context(), []engine.SampleRequest{{Prompt: []int{1, 2, 3}, MaxTokens: 45}}); err != nil {
		t.Fatal(err)
	}
	if n := e.prefixCache.pages.tokens; n > 6*pageTokens {
		t.Errorf("pages for %d tokens for one request", n)
	}
	if n := len(e.ropeTables.global); n > maxRopeTables+1 {
		t.Errorf("%d tables of angles were kept", n)
	}
}
