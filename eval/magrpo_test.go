package eval

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// subsets calls visit with every subset of k of n indices.
func subsets(n, k int, visit func([]int)) {
	for bits := range 1 << n {
		var chosen []int
		for i := range n {
			if bits>>i&1 == 1 {
				chosen = append(chosen, i)
			}
		}
		if len(chosen) == k {
			visit(chosen)
		}
	}
}

// Both unbiased estimates are means over all subsets of k samples.
func TestUnbiasedEstimatesAreMeansOverSubsets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0.25, 0.5, 1}), 1, 8).Draw(t, "scores")
		k := rapid.IntRange(1, len(scores)).Draw(t, "k")
		var count, passes, best float64
		subsets(len(scores), k, func(chosen []int) {
			top := 0.0
			for _, i := range chosen {
				top = math.Max(top, scores[i])
			}
			count++
			best += top
			if top == 1 {
				passes++
			}
		})
		correct := 0
		for _, s := range scores {
			if s == 1 {
				correct++
			}
		}
		if got := PassAtK(len(scores), correct, k); math.Abs(got-passes/count) > 1e-12 {
			t.Fatalf("pass@%d %v, want %v", k, got, passes/count)
		}
		if got := ExpectedBest(scores, k); math.Abs(got-best/count) > 1e-12 {
			t.Fatalf("expected best of %d %v, want %v", k, got, best/count)
		}
	})
}

func TestFirstK(t *testing.T) {
	outcomes, scores := []bool{false, false, true}, []float64{0.1, 0.5, 0.9}
	for k, want := range map[int]bool{1: false, 2: false, 3: true, 9: true} {
		if AnyOfFirst(outcomes, k) != want {
			t.Errorf("any of the first %d: %v", k, !want)
		}
		if got, best := BestOfFirst(scores, k), scores[min(k, 3)-1]; got != best {
			t.Errorf("best of the first %d: %v, want %v", k, got, best)
		}
	}
}

func TestMajorityText(t *testing.T) {
	for _, c := range []struct {
		answers []string
		want    TextMajority
	}{
		{nil, TextMajority{}},
		{[]string{"b", "a", " A\n", "B", "a"}, TextMajority{Winner: "a", Votes: 3, Share: 0.6}},
		{[]string{"b", "a", "a", "b"}, TextMajority{Winner: "b", Votes: 2, Share: 0.5, Tie: true}},
		{[]string{"x", "y", "z", "z"}, TextMajority{Winner: "z", Votes: 2, Share: 0.5}},
	} {
		if got := MajorityText(c.answers); got != c.want {
			t.Errorf("%q: %+v, want %+v", c.answers, got, c.want)
		}
	}
}

// A full score is 100 % of everything, a missing part 0 %.
func TestPercentsOfFullScores(t *testing.T) {
	full := WritingPercents(map[string]float64{"structure": 0.5, "length_ratio": 1, "vocabulary": 0.5, "transition": 0.4, "jaccard": 0.6})
	code := CodePercents(map[string]float64{"aux_defined": 0.4, "main_defined": 0.6, "syntax": 0.5, "tests": 1, "use": 0.5, "non_wrapper": 1})
	for _, breakdown := range []map[string]float64{full, code} {
		for name, p := range breakdown {
			if math.Abs(p-100) > 1e-9 {
				t.Errorf("%s is %v %%", name, p)
			}
		}
	}
	if p := CodePercents(nil)["cooperation"]; p != 0 {
		t.Errorf("cooperation of nothing is %v %%", p)
	}
}
