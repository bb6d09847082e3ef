package enginetest

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/engine"
)

// Without the two more filters the distribution is that of engine.Sampling, and the arguments are left as they were.
func TestFiltersOff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		logits := rapid.SliceOfN(rapid.Float64Range(-4, 4), 1, 12).Draw(t, "logits")
		before := slices.Clone(logits)
		s := engine.Sampling{Temperature: 0.7, TopK: rapid.IntRange(0, 12).Draw(t, "top_k"), TopP: rapid.Float64Range(0, 1).Draw(t, "top_p")}
		got := FilteredLogprobs(logits, []int{0}, Filters{Sampling: s, RepetitionPenalty: 1})
		if want := SamplingLogprobs(logits, s); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
		FilteredLogprobs(logits, []int{0, 0}, Filters{RepetitionPenalty: 1.3})
		if !slices.Equal(logits, before) {
			t.Fatal("logits were changed")
		}
	})
}

// Min-p keeps exactly the tokens with that share of the largest probability; at 1 and above only the largest are left.
func TestMinP(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		logits := rapid.SliceOfN(rapid.Float64Range(-4, 4), 1, 12).Draw(t, "logits")
		least := rapid.Float64Range(0.01, 2).Draw(t, "min_p")
		largest := slices.Max(logits)
		for i, lp := range FilteredLogprobs(logits, nil, Filters{MinP: least}) {
			share := math.Exp(logits[i] - largest)
			if math.Abs(share-math.Min(least, 1)) < 1e-12 {
				continue // on the edge
			}
			if kept := !math.IsInf(lp, -1); kept != (share > least) && logits[i] != largest {
				t.Fatalf("share %v of %v: kept %v", share, least, kept)
			}
		}
	})
}

// The order of the filters: each pair gives another distribution the other way round.
func TestOrderOfFilters(t *testing.T) {
	kept := func(logits []float64, previous []int, f Filters) []int {
		var kept []int
		for i, lp := range FilteredLogprobs(logits, previous, f) {
			if !math.IsInf(lp, -1) {
				kept = append(kept, i)
			}
		}
		return kept
	}
	share := func(p ...float64) []float64 {
		logits := make([]float64, len(p))
		for i := range p {
			logits[i] = 5 + math.Log(p[i])
		}
		return logits
	}
	for name, c := range map[string]struct {
		logits   []float64
		previous []int
		filters  Filters
		want     []int
	}{
		"penalty before top-k":      {[]float64{3, 2, 1}, []int{0, 0}, Filters{Sampling: engine.Sampling{TopK: 2}, RepetitionPenalty: 4}, []int{1, 2}},
		"penalty once a token":      {[]float64{3, 2, 1}, []int{0, 0}, Filters{Sampling: engine.Sampling{TopK: 2}, RepetitionPenalty: 2}, []int{0, 1}},
		"penalty of negative ones":  {[]float64{-1, -2, -3}, []int{0}, Filters{Sampling: engine.Sampling{TopK: 1}, RepetitionPenalty: 2.5}, []int{1}},
		"temperature before top-p":  {share(.6, .3, .1), nil, Filters{Sampling: engine.Sampling{Temperature: 2, TopP: .6}}, []int{0, 1}},
		"temperature before min-p":  {share(.6, .3, .1), nil, Filters{Sampling: engine.Sampling{Temperature: 3}, MinP: .5}, []int{0, 1, 2}},
		"top-k before top-p":        {share(.4, .3, .2, .1), nil, Filters{Sampling: engine.Sampling{TopK: 2, TopP: .5}}, []int{0}},
		"top-p keeps what crosses":  {share(.4, .3, .2, .1), nil, Filters{Sampling: engine.Sampling{TopP: .5}}, []int{0, 1}},
		"min-p after top-p":         {share(.4, .3, .2, .1), nil, Filters{Sampling: engine.Sampling{TopP: .85}, MinP: .6}, []int{0, 1}},
		"top-p's mass before min-p": {share(.4, .2, .2, .1, .1), nil, Filters{Sampling: engine.Sampling{TopP: .7}, MinP: .3}, []int{0, 1, 2}},
	} {
		if got := kept(c.logits, c.previous, c.filters); !slices.Equal(got, c.want) {
			t.Errorf("%s: kept %v, want %v", name, got, c.want)
		}
	}
}

// §4.3: probabilities sum to one over at most TopK tokens, whose order is that of the logits, and whose mass before the last
// one lies below TopP.
func TestSamplingLogprobs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		logits := rapid.SliceOfN(rapid.Float64Range(-4, 4), 1, 12).Draw(t, "logits")
		s := engine.Sampling{
			Temperature: rapid.Float64Range(0.2, 2).Draw(t, "temperature"),
			TopK:        rapid.IntRange(0, 12).Draw(t, "top_k"),
			TopP:        rapid.Float64Range(0, 1).Draw(t, "top_p"),
		}
		sum, kept, worst, best := 0.0, 0, math.Inf(1), math.Inf(-1)
		for i, lp := range SamplingLogprobs(logits, s) {
			if math.IsInf(lp, -1) {
				best = math.Max(best, logits[i])
				continue
			}
			sum += math.Exp(lp)
			kept++
			worst = math.Min(worst, logits[i])
		}
		if math.Abs(sum-1) > 1e-9 || kept == 0 || s.TopK > 0 && kept > s.TopK || best > worst {
			t.Fatalf("%d tokens kept with mass %v; least kept logit %v, greatest cut %v", kept, sum, worst, best)
		}
	})
}

func TestSamplingLogprobsWithoutTemperature(t *testing.T) {
	logits := []float64{1, 2, 3}
	if got, want := SamplingLogprobs(logits, engine.Sampling{}), SamplingLogprobs(logits, engine.Sampling{Temperature: 1}); !slices.Equal(got, want) {
		t.Errorf("the zero value gives %v, temperature 1 %v", got, want)
	}
}
