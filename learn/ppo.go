package learn

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

// SymmetricClip is the range 1 ± epsilon; the authors use 0.2.
func SymmetricClip(epsilon float64) Clip { return Clip{Low: epsilon, High: epsilon} }

// A Surrogate is PPO's clipped loss of one token (MAPoRL §4) at ratio ρ = exp(logp_new − logp_old).
type Surrogate struct {
	Ratio   float64
	Loss    float64 // max(−ρA, −clip(ρ)A)
	Grad    float64 // dLoss/dlogp_new: −ρA, or 0 where the clipped term is the larger one
	Clipped bool    // the clipped term is strictly larger
}

// Surrogate returns the loss of one token with advantage A.
func (c Clip) Surrogate(logp, old, advantage float64) Surrogate {
	ratio := math.Exp(logp - old)
	loss := -ratio * advantage
	clipped := -min(max(ratio, 1-c.Low), 1+c.High) * advantage
	if clipped > loss {
		return Surrogate{Ratio: ratio, Loss: clipped, Clipped: true}
	}
	return Surrogate{Ratio: ratio, Loss: loss, Grad: loss}
}

// A PolicyAnswer is what the policy loss knows about one answer of n tokens.
type PolicyAnswer struct {
	Old        []float32 // [n] log-probabilities under the policy that sampled it
	Advantages []float64 // [n]
}

// A PolicyBatch is PPO's loss of a policy: tokens are averaged within an answer, then answers over the batch (MAPoRL §4).
// Its Gradient method is the [engine.Loss] for the answers in order.
type PolicyBatch struct {
	clip    Clip
	answers []PolicyAnswer
	scale   float64
	terms   []PolicyStats // sums by answer: added up in order, so that statistics do not depend on splits either
}

// NewPolicyBatch prepares the loss of some answers. window is the number of answers that share one optimiser step, in this
// call and others; 0 means these only. The gradients of all calls of a window then add up to that of the mean over it.
func NewPolicyBatch(clip Clip, answers []PolicyAnswer, window int) (*PolicyBatch, error) {
	for i, a := range answers {
		if len(a.Old) != len(a.Advantages) || len(a.Old) == 0 {
			return nil, fmt.Errorf("policy loss: answer %d has %d log-probabilities and %d advantages", i, len(a.Old), len(a.Advantages))
		}
	}
	scale, err := meanOver(len(answers), window)
	if err != nil {
		return nil, fmt.Errorf("policy loss: %w", err)
	}
	return &PolicyBatch{clip: clip, answers: answers, scale: scale, terms: make([]PolicyStats, len(answers))}, nil
}

// Gradient implements [engine.Loss].
func (b *PolicyBatch) Gradient(first int, outputs []engine.Output) ([]engine.Gradient, error) {
	if err := checkSpan(first, len(outputs), len(b.answers)); err != nil {
		return nil, fmt.Errorf("policy loss: %w", err)
	}
	grads := make([]engine.Gradient, len(outputs))
	for i, out := range outputs {
		g, err := b.answer(first+i, out.Logprobs)
		if err != nil {
			return nil, fmt.Errorf("policy loss of answer %d: %w", first+i, err)
		}
		grads[i].Logprobs = g
	}
	return grads, nil
}

func (b *PolicyBatch) answer(i int, logprobs []float32) ([]float32, error) {
	a := b.answers[i]
	if len(logprobs) != len(a.Old) {
		return nil, fmt.Errorf("%d log-probabilities for %d tokens", len(logprobs), len(a.Old))
	}
	var sums PolicyStats
	scale := b.scale / float64(len(logprobs))
	grad := make([]float32, len(logprobs))
	for x, lp := range logprobs {
		s := b.clip.Surrogate(float64(lp), float64(a.Old[x]), a.Advantages[x])
		sums.add(s, float64(lp), float64(a.Old[x]), scale)
		grad[x] = float32(scale * s.Grad)
	}
	if err := checkFinite(sums.Loss); err != nil {
		return nil, err
	}
	b.terms[i] = sums
	return grad, nil
}

// Stats returns the statistics of the answers that Gradient has seen.
func (b *PolicyBatch) Stats() PolicyStats {
	var sums PolicyStats
	for _, t := range b.terms {
		sums.merge(t)
	}
	return sums.means()
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

func checkFinite(loss float64) error {
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return fmt.Errorf("loss %v: %w", loss, engine.ErrNotFinite)
	}
	return nil
}
