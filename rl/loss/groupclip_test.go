package loss

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestClippedGroup: rewards 1, 0, 0, 1 have the advantages ±½, and a group of equals has no gradient.
func TestClippedGroup(t *testing.T) {
	c := ClippedGroup{Clip: Clip{Low: .2, High: .2}, Divisor: 1}
	logps := [][]float64{{-1}, {-1}, {-1}, {-1}}
	got, err := c.Of([]float64{1, 0, 0, 1}, logps, logps)
	if err != nil || got.Advantages[0] != .5 || got.Advantages[1] != -.5 || got.Grads[0][0] != -.125 || got.Grads[1][0] != .125 {
		t.Errorf("%+v, %v", got, err)
	}
	sum := .1 // and .2: more than .3 by rounding
	sum += .2
	got, err = c.Of([]float64{sum, .3, .3, .3}, logps, logps)
	for g := range logps {
		if err != nil || got.Advantages[g] != 0 || got.Grads[g][0] != 0 {
			t.Errorf("%+v, %v", got, err)
		}
	}
	for _, wrong := range []func() error{
		func() error { _, err := c.Of([]float64{1}, logps, logps); return err },
		func() error { _, err := c.Of([]float64{1, 0}, logps[:2], [][]float64{{-1}, {-1, -1}}); return err },
		func() error { _, err := ClippedGroup{}.Of(nil, nil, nil); return err },
		func() error { _, err := c.Of(nil, nil, nil); return err },
	} {
		if wrong() == nil {
			t.Error("no error")
		}
	}
}

// TestClippedGroupGradient: the gradient is that of the loss, and it does not depend on how long the other answers are.
func TestClippedGroupGradient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(t, "answers")
		rewards := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 1, 1.1}), n, n).Draw(t, "rewards")
		var logps, old [][]float64
		for range n {
			tokens := rapid.IntRange(0, 3).Draw(t, "tokens")
			logps = append(logps, rapid.SliceOfN(rapid.Float64Range(-2, 0), tokens, tokens).Draw(t, "logps"))
			old = append(old, rapid.SliceOfN(rapid.Float64Range(-2, 0), tokens, tokens).Draw(t, "old"))
		}
		c := ClippedGroup{Clip: Clip{Low: .2, High: .3}, Divisor: 8}
		of := func() GroupLoss {
			got, err := c.Of(rewards, logps, old)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		got := of()
		for g := range logps {
			for i, x := range logps[g] {
				ratio := math.Exp(x - old[g][i])
				if math.Abs(ratio-.8) < 1e-3 || math.Abs(ratio-1.3) < 1e-3 {
					continue // the loss has a corner there
				}
				const step = 1e-6
				logps[g][i] = x + step
				above := of().Loss
				logps[g][i] = x - step
				below := of().Loss
				logps[g][i] = x
				if want := (above - below) / (2 * step); math.Abs(got.Grads[g][i]-want) > 1e-6 {
					t.Fatalf("gradient %v, want %v", got.Grads[g][i], want)
				}
			}
		}
	})
}
