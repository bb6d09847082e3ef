package loss_test

import (
	"math"
	"testing"

	"parley/engine"
	"parley/rl/loss"

	"pgregory.net/rapid"
)

// TestBradleyTerry: the derivative is that of the loss, and the loss of a pair and of the same pair turned round belong to
// probabilities that add up to 1.
func TestBradleyTerry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, l := rapid.Float64Range(-30, 30).Draw(t, "winner"), rapid.Float64Range(-30, 30).Draw(t, "loser")
		value, grad := loss.BradleyTerry(w, l)
		const h = 1e-5
		up, _ := loss.BradleyTerry(w+h, l)
		down, _ := loss.BradleyTerry(w-h, l)
		if math.Abs((up-down)/(2*h)-grad) > 1e-6 {
			t.Errorf("derivative %g, by differences %g", grad, (up-down)/(2*h))
		}
		turned, _ := loss.BradleyTerry(l, w)
		if s := math.Exp(-value) + math.Exp(-turned); math.Abs(s-1) > 1e-12 {
			t.Errorf("probabilities add up to %g", s)
		}
	})
}

func TestValueWeights(t *testing.T) {
	loss := loss.ValueWeights([]float64{2, -3})
	grads, err := loss(1, []engine.Output{{Values: []float32{0, 0, 0}}})
	if err != nil {
		t.Fatal(err)
	}
	if g := grads[0].Values; len(g) != 3 || g[0] != 0 || g[1] != 0 || g[2] != -3 {
		t.Errorf("gradient %v, want 0 0 -3", g)
	}
	if _, err := loss(0, []engine.Output{{}}); err == nil {
		t.Error("an output without values is taken")
	}
}
