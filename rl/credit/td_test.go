package credit

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// By hand: an agent that speaks in every turn has r + γ·V of the next; one that is silent for two turns also has their rewards.
func TestTDTarget(t *testing.T) {
	for _, c := range []struct {
		rewards []float64
		next    float64
		want    float64
	}{
		{[]float64{1}, 4, 3}, {[]float64{2}, 0, 2}, {[]float64{0, 0, 8}, 0, 2}, {[]float64{1, 2, 4}, 8, 4},
	} {
		if got := TDTarget(c.rewards, c.next, 0.5); got != c.want {
			t.Errorf("rewards %v before the value %g: target %g, want %g", c.rewards, c.next, got, c.want)
		}
	}
}

// Rewards of silent turns count as if the agent had spoken there with a critic that knows what follows.
func TestTDTargetOfSilentTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rewards := rapid.SliceOfN(rapid.Float64Range(-5, 5), 1, 5).Draw(t, "rewards")
		next, gamma := rapid.Float64Range(-5, 5).Draw(t, "next"), rapid.Float64Range(0, 1).Draw(t, "gamma")
		want := next
		for k := range rewards {
			want = TDTarget(rewards[len(rewards)-1-k:len(rewards)-k], want, gamma)
		}
		sum := math.Pow(gamma, float64(len(rewards))) * next
		for k, r := range rewards {
			sum += math.Pow(gamma, float64(k)) * r
		}
		if got := TDTarget(rewards, next, gamma); got != want || math.Abs(got-sum) > 1e-9 {
			t.Errorf("target %v, turn by turn %v, as a sum %v", got, want, sum)
		}
	})
}
