package enginetest

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestGroupLossGradient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var logprobs [][]float64
		var advantages []float64
		for range rapid.IntRange(1, 4).Draw(t, "G") {
			logprobs = append(logprobs, rapid.SliceOfN(rapid.Float64Range(-6, -0.01), 1, 6).Draw(t, "logprobs"))
			advantages = append(advantages, rapid.Float64Range(-3, 3).Draw(t, "advantage"))
		}
		r := rapid.SampledFrom([]string{"seq_sum", "seq_mean", "token_mean", "sum"}).Draw(t, "reduction")
		var weights [][]float64
		if rapid.Bool().Draw(t, "weighted") {
			for _, lp := range logprobs {
				weights = append(weights, rapid.SliceOfN(rapid.Float64Range(0, 2), len(lp), len(lp)).Draw(t, "weights"))
			}
		}
		_, grad := GroupLoss(logprobs, weights, advantages, r)
		j := rapid.IntRange(0, len(logprobs)-1).Draw(t, "completion")
		k := rapid.IntRange(0, len(logprobs[j])-1).Draw(t, "token")
		const h = 1e-3
		logprobs[j][k] += h
		above, _ := GroupLoss(logprobs, weights, advantages, r)
		logprobs[j][k] -= 2 * h
		below, _ := GroupLoss(logprobs, weights, advantages, r)
		if want := (above - below) / (2 * h); math.Abs(grad[j][k]-want) > 1e-9 {
			t.Fatalf("gradient %v, finite difference %v", grad[j][k], want)
		}
	})
}

func TestBehaviourWeightsAreCapped(t *testing.T) {
	got := BehaviourWeights([]float32{-1, -1, -3}, []float32{-1, -4, -1}, 2)
	want := []float64{1, 2, math.Exp(-2)}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-7 {
			t.Errorf("weights %v, want %v", got, want)
		}
	}
}
