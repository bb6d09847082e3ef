package preference

import (
	"context"
	"fmt"

	"parley/engine"
	"parley/rl/learn"
	"parley/rl/loss"
)

// LearnOrder takes one step of a reward model, a value adapter, on pairs: data are the winner and the loser of the first, and so on. With s
// the value after the last token of a joint response, the loss is the mean over pairs of −log σ(s_winner − s_loser) (MARLHF, MAGRPO §5).
// It returns the sum of the pairs' losses, and how many of them the model ordered rightly before.
func LearnOrder(ctx context.Context, to learn.PolicyRef, data []engine.Datum, adam engine.Adam) (total float64, right int, err error) {
	out, err := to.Engine.Forward(ctx, data)
	if err != nil {
		return 0, 0, fmt.Errorf("score pairs: %w", err)
	}
	weights := make([]float64, len(data)) // dLoss/ds of every joint response: the negative of each other in a pair
	pairs := float64(len(data) / 2)
	for i := 0; i+1 < len(data); i += 2 {
		winner, loser := float64(out[i].Values[0]), float64(out[i+1].Values[0])
		value, grad := loss.BradleyTerry(winner, loser)
		total += value
		if winner > loser {
			right++
		}
		weights[i], weights[i+1] = grad/pairs, -grad/pairs
	}
	if err := to.Engine.ForwardBackward(ctx, data, loss.ValueWeights(weights)); err != nil {
		return 0, 0, fmt.Errorf("train the reward model: %w", err)
	}
	if _, err := to.Engine.Step(ctx, to.Policy, adam); err != nil {
		return 0, 0, fmt.Errorf("optimizer step of the reward model: %w", err)
	}
	return total, right, nil
}
