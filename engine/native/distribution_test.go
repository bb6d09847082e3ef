package native

import (
	"math"
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"

	"parley/engine"
	spec "parley/engine/enginetest"
	"parley/engine/native/kernel"
)

func newKernels(t *testing.T) *kernel.Kernels {
	t.Helper()
	k, err := kernel.New("", 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	return k
}

// probabilities returns what distribute leaves of logits.
func probabilities(k *kernel.Kernels, logits []float32, s engine.Sampling, keep int) []float64 {
	z := slices.Clone(logits)
	norm := warpAndNormalizer(k, z, normalized(s), keep)
	p := make([]float64, len(z))
	for i, v := range z {
		p[i] = math.Exp(float64(v - norm))
	}
	return p
}

func TestGoldensSampling(t *testing.T) {
	var g struct {
		Logits []float32
		Cases  []struct {
			Temperature   float64
			TopK          int     `json:"top_k"`
			TopP          float64 `json:"top_p"`
			MinP          float64 `json:"min_p"`
			Penalty       float64 `json:"repetition_penalty"`
			Kept          []int
			Probabilities []float64
		}
	}
	readJSON(t, "sampling.json", &g)
	k, tested := newKernels(t), 0
	for i, c := range g.Cases {
		if c.MinP != 0 || c.Penalty != 1 {
			continue // not among the settings of engine.Sampling
		}
		tested++
		p := probabilities(k, g.Logits, engine.Sampling{Temperature: c.Temperature, TopK: c.TopK, TopP: c.TopP}, -1)
		for id, want := range c.Probabilities {
			if (p[id] > 0) != slices.Contains(c.Kept, id) || math.Abs(p[id]-want) > 1e-6 {
				t.Errorf("case %d: token %d has probability %v, want %v", i, id, p[id], want)
			}
		}
	}
	if tested == 0 {
		t.Error("no case has only settings of engine.Sampling")
	}
}

// dumb is distribute by full sorting in float64. It also returns how near a sum of probabilities comes to TopP, where rounding decides
// which token is the last.
func dumb(logits []float32, s engine.Sampling, keep int) (p []float64, tie float64) {
	order := make([]int, len(logits))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return logits[order[a]] > logits[order[b]] })
	if s.TopK > 0 {
		order = order[:min(len(order), s.TopK)]
	}
	weight := func(i int) float64 { return math.Exp(float64(logits[i]) / s.Temperature) }
	tie = 1
	if s.TopP > 0 && s.TopP < 1 {
		total, mass, n := 0.0, 0.0, 0
		for _, i := range order {
			total += weight(i)
		}
		for n = 0; n < len(order) && mass < s.TopP*total; n++ {
			mass += weight(order[n])
			tie = min(tie, math.Abs(mass/total-s.TopP))
		}
		order = order[:n]
	}
	if keep >= 0 && !slices.Contains(order, keep) {
		order = append(order, keep)
	}
	total := 0.0
	for _, i := range order {
		total += weight(i)
	}
	p = make([]float64, len(logits))
	for _, i := range order {
		p[i] = weight(i) / total
	}
	return p, tie
}

func TestDistributeAgainstSorting(t *testing.T) {
	k := newKernels(t)
	rapid.Check(t, func(t *rapid.T) {
		logits := rapid.SliceOfN(rapid.Map(rapid.IntRange(-40, 40), func(i int) float32 { return float32(i) / 8 }), 1, 60).Draw(t, "logits")
		s := engine.Sampling{
			Temperature: rapid.SampledFrom([]float64{0.5, 1, 2}).Draw(t, "temperature"),
			TopK:        rapid.IntRange(0, len(logits)+2).Draw(t, "k"),
			TopP:        rapid.SampledFrom([]float64{0, 1, 0.00001, 0.3137, 0.7071, 0.9357}).Draw(t, "p"),
		}
		keep := rapid.IntRange(-1, len(logits)-1).Draw(t, "keep")
		got := probabilities(k, logits, s, keep)
		want, tie := dumb(logits, s, keep)
		if tie < 1e-6 {
			return
		}
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-5 {
				t.Fatalf("token %d has probability %v, want %v", i, got[i], want[i])
			}
		}
	})
}

// Many draws come out as often as their probability says, whatever tokens are cut or masked; what is masked is never drawn.
func TestSampleFrequencies(t *testing.T) {
	e := openTiny(t, tiny, engine.Options{})
	greedy := mustSample(t, e, []engine.SampleRequest{{Prompt: []int{1, 2, 3}, MaxTokens: 1}})[0].Tokens[0] // as where an answer is finished
	never := [][2]int{{tiny.Vocab - 9, tiny.Vocab}}
	for name, r := range map[string]engine.SampleRequest{
		"plain":      {Sampling: engine.Sampling{Temperature: 1}},
		"cut":        {Sampling: engine.Sampling{Temperature: 1.2, TopK: 6}},
		"min tokens": {Sampling: engine.Sampling{Temperature: 1}, MinTokens: 1},
		"all":        {Sampling: engine.Sampling{Temperature: 0.9, TopK: 12, TopP: 0.8}, MinTokens: 1, Never: never},
		"padding":    {Sampling: engine.Sampling{Temperature: 1.3}, Never: never},
	} {
		r.Prompt, r.MaxTokens, r.Stop = []int{1, 2, 3}, 1, []int{greedy}
		t.Run(name, func(t *testing.T) { checkFrequencies(t, e, r) })
	}
}

func checkFrequencies(t *testing.T, e *Engine, r engine.SampleRequest) {
	t.Helper()
	const n = 4000
	reqs := make([]engine.SampleRequest, n)
	for i := range reqs {
		reqs[i] = r
		reqs[i].Seed = uint64(i)
	}
	count, probability := map[int]int{}, map[int]float64{}
	for _, s := range mustSample(t, e, reqs) {
		count[s.Tokens[0]]++
		probability[s.Tokens[0]] = math.Exp(float64(s.Logprobs[0]))
	}
	for token, c := range count {
		p := probability[token]
		if got := float64(c) / n; math.Abs(got-p) > 5*math.Sqrt(p*(1-p)/n) {
			t.Errorf("token %d was drawn with frequency %v, its probability is %v", token, got, p)
		}
		if r.MinTokens > 0 && token == r.Stop[0] || len(r.Never) > 0 && token >= r.Never[0][0] {
			t.Errorf("token %d was drawn, which is masked", token)
		}
	}
	if k := r.Sampling.TopK; k > 0 && r.Sampling.TopP == 0 && len(count) != k {
		t.Errorf("%d different tokens were drawn, want %d", len(count), k)
	}
}

// The distribution under a mask is that of the logits without the masked tokens: the masked ones have no share of the cuts.
func TestMaskComesBeforeCuts(t *testing.T) {
	k := newKernels(t)
	rapid.Check(t, func(t *rapid.T) {
		logits := rapid.SliceOfN(rapid.Map(rapid.IntRange(-40, 40), func(i int) float32 { return float32(i) / 8 }), 8, 60).Draw(t, "logits")
		how := engine.Sampling{Temperature: rapid.SampledFrom([]float64{0.5, 1, 2}).Draw(t, "temperature"), TopK: rapid.IntRange(0, 9).Draw(t, "k")}
		m := maskAt(rapid.SampledFrom(masks(len(logits))).Draw(t, "mask"), 1)
		var kept []int
		var rest []float64
		for i, z := range logits {
			one := []float32{z}
			if m.apply(one, i, -1); one[0] == z {
				kept, rest = append(kept, i), append(rest, float64(z))
			}
		}
		m.apply(logits, 0, -1)
		got, want := probabilities(k, logits, how, -1), spec.SamplingLogprobs(rest, how)
		for j, i := range kept {
			if math.Abs(got[i]-math.Exp(want[j])) > 1e-5 {
				t.Fatalf("token %d has probability %v, want %v", i, got[i], math.Exp(want[j]))
			}
			got[i] = 0
		}
		if slices.Max(got) > 0 {
			t.Fatalf("masked tokens have probabilities %v", got)
		}
	})
}

// Where a cut would leave nothing but stop tokens, MinTokens still holds: the cut is made of the others.
func TestMinTokensBeatsTopK(t *testing.T) {
	e := openTiny(t, tiny, engine.Options{})
	stop := mustSample(t, e, []engine.SampleRequest{{Prompt: []int{1}, MaxTokens: 1}})[0].Tokens
	r := engine.SampleRequest{Prompt: []int{1}, MaxTokens: 3, MinTokens: 2, Stop: stop, Sampling: engine.Sampling{Temperature: 1, TopK: 1}}
	s := mustSample(t, e, []engine.SampleRequest{r})[0]
	if s.Tokens[0] == stop[0] || s.Logprobs[0] != 0 {
		t.Fatalf("drawn %v with %v: want another token than %v, the only one that is left", s.Tokens, s.Logprobs, stop)
	}
}
