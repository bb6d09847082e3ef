package loss

import (
	"fmt"
	"math"

	"parley/engine"
)

// A Clip is the range of probability ratios in which PPO lets an advantage act: [1−Low, 1+High].
type Clip struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// hold returns the ratio of the range that is nearest.
func (c Clip) hold(ratio float64) float64 { return min(max(ratio, 1-c.Low), 1+c.High) }

// A Surrogate is the loss of one token, in PPO (MAPoRL §4) and its relatives ([TokenObjective]), at ratio
// ρ = exp(logp_new − logp_old).
type Surrogate struct {
	Ratio   float64
	Loss    float64
	Grad    float64 // dLoss/dlogp_new
	Clipped bool    // a bound on the ratio makes a difference to the loss
}

// Surrogate returns PPO's loss of one token with advantage A, max(−ρA, −clip(ρ)A); its derivative is −ρA, or 0 where the
// clipped term is strictly larger.
func (c Clip) Surrogate(logp, old, advantage float64) Surrogate {
	ratio := math.Exp(logp - old)
	loss := -ratio * advantage
	clipped := -c.hold(ratio) * advantage
	if clipped > loss {
		return Surrogate{Ratio: ratio, Loss: clipped, Clipped: true}
	}
	return Surrogate{Ratio: ratio, Loss: loss, Grad: loss}
}

// meanOver returns the weight of one answer in the mean over a window.
func meanOver(answers, window int) (float64, error) {
	if window == 0 {
		window = answers
	}
	if answers == 0 || window < answers {
		return 0, fmt.Errorf("%d answers in a window of %d", answers, window)
	}
	return 1 / float64(window), nil
}

// checkSpan reports outputs that a batch of so many data does not have.
func checkSpan(first, outputs, data int) error {
	if first < 0 || first+outputs > data {
		return fmt.Errorf("outputs %d to %d of a batch of %d", first, first+outputs, data)
	}
	return nil
}

// gradients are those of some outputs of a batch, the first of which belongs to item first of so many. loss and item name both in errors.
func gradients(loss, item string, first, items int, outputs []engine.Output, of func(i int, out engine.Output) (engine.Gradient, error)) ([]engine.Gradient, error) {
	if err := checkSpan(first, len(outputs), items); err != nil {
		return nil, fmt.Errorf("%s: %w", loss, err)
	}
	grads := make([]engine.Gradient, len(outputs))
	for i, out := range outputs {
		var err error
		if grads[i], err = of(first+i, out); err != nil {
			return nil, fmt.Errorf("%s of %s %d: %w", loss, item, first+i, err)
		}
	}
	return grads, nil
}

func checkFinite(loss float64) error {
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return fmt.Errorf("loss %v: %w", loss, engine.ErrNotFinite)
	}
	return nil
}
