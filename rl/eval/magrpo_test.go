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

// All unbiased estimates are means over all subsets of k samples.
func TestUnbiasedEstimatesAreMeansOverSubsets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0.25, 0.5, 1}), 1, 8).Draw(t, "scores")
		k := rapid.IntRange(1, len(scores)).Draw(t, "k")
		var count, passes, all, best float64
		subsets(len(scores), k, func(chosen []int) {
			top, least := 0.0, 1.0
			for _, i := range chosen {
				least = math.Min(least, scores[i])
				top = math.Max(top, scores[i])
			}
			count++
			best += top
			if top == 1 {
				passes++
			}
			if least == 1 {
				all++
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
		if got := PassHatKOf(scores, k); math.Abs(got-all/count) > 1e-12 {
			t.Fatalf("pass^%d %v, want %v", k, got, all/count)
		}
		if got := ExpectedBest(scores, k); math.Abs(got-best/count) > 1e-12 {
			t.Fatalf("expected best of %d %v, want %v", k, got, best/count)
		}
	})
}

func TestFirstK(t *testing.T) {
	scores := []float64{0.1, 0.5, 0.9, 0.2}
	for k, want := range map[int]float64{1: 0.1, 2: 0.5, 3: 0.9, 4: 0.9, 9: 0.9} {
		if got := BestOfFirst(scores, k); got != want {
			t.Errorf("best of the first %d: %v, want %v", k, got, want)
		}
	}
}
