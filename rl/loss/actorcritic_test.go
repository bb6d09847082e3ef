package loss_test

import (
	"math"
	"testing"

	"parley/engine"
	"parley/rl/loss"
)

// TestActorBatch: the loss is −mean(A·log π) with an answer's tokens summed, and its gradient −A/n for every token of it.
func TestActorBatch(t *testing.T) {
	moves := []loss.Move{{Tokens: 2, Advantage: 1.5}, {Turn: 1, Tokens: 1, Advantage: -0.5}}
	batch, err := loss.NewActorBatch(moves, 0)
	if err != nil {
		t.Fatal(err)
	}
	grads, err := batch.Gradient(0, []engine.Output{{Logprobs: []float32{-1, -2}}, {Logprobs: []float32{-4}}})
	if err != nil {
		t.Fatal(err)
	}
	if want := (1.5*3 - 0.5*4) / 2; math.Abs(batch.Stats().Loss-want) > 1e-9 {
		t.Errorf("loss %g, want %g", batch.Stats().Loss, want)
	}
	for i, want := range []float32{-0.75, 0.25} {
		for _, g := range grads[i].Logprobs {
			if g != want {
				t.Errorf("gradient %g of a token of move %d, want %g", g, i, want)
			}
		}
	}
}

// TestCriticObjective: a separate critic has the plain squared error, a shared head the greater of it and the clipped one.
func TestCriticObjective(t *testing.T) {
	separate, shared := loss.CriticObjective(0.6, false, 0.2), loss.CriticObjective(0.6, true, 0.2)
	if loss, _, _ := separate.SquaredError(1, 0.5, 2); loss*separate.Factor() != 0.6 {
		t.Errorf("separate critic: loss %g, want 0.6", loss*separate.Factor())
	}
	if loss, grad, clipped := shared.SquaredError(1, 0.5, 2); math.Abs(loss-1.69) > 1e-12 || grad != 0 || !clipped {
		t.Errorf("shared head: loss %g, gradient %g, clipped %v; want 1.69, 0 and true", loss, grad, clipped)
	}
}
