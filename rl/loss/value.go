package loss

import (
	"fmt"

	"parley/engine"
)

// ValueObjective is MAPoRL's loss of a critic (§4): Weight·½·mean(max((V−G)², (clip(V, V_old ± Range) − G)²)).
type ValueObjective struct {
	Weight float64 `json:"weight"` // λ_value
	Half   bool    `json:"half"`   // the factor ½, which the paper does not have
	Clip   bool    `json:"clip"`   // the clipped term, which the paper does not have
	Range  float64 `json:"range"`  // of the clip
}

// Factor is Weight, halved where Half is set.
func (o ValueObjective) Factor() float64 {
	if o.Half {
		return o.Weight / 2
	}
	return o.Weight
}

// SquaredError returns the squared error of one value before [ValueObjective.Factor], its derivative, and whether the clipped
// term is strictly larger.
func (o ValueObjective) SquaredError(value, old, ret float64) (loss, grad float64, clipped bool) {
	loss, grad = SquaredValueLoss(value, ret)
	if !o.Clip {
		return loss, grad, false
	}
	held, heldGrad := SharedValueLoss(value, old, ret, o.Range)
	return held, heldGrad, held > loss
}

// A ValueAnswer is what the value loss knows about one answer of n tokens: the positions that are trained, n of them, or n+1
// where the reward stands past the last token.
type ValueAnswer struct {
	Old     []float32 // values of the states before each position, under the critic that made the advantages
	Returns []float64 // value targets
}

// A ValueBatch is the loss of a critic, a policy with a value head: positions are averaged within an answer, then answers over
// the batch (MAPoRL §4). Its Gradient method is the [engine.Loss] for the answers in order.
type ValueBatch struct {
	objective ValueObjective
	answers   []ValueAnswer
	scale     float64
	terms     []valueSums // by answer
}

// NewValueBatch prepares the loss of some answers. window is as in [NewPolicyBatch].
func NewValueBatch(o ValueObjective, answers []ValueAnswer, window int) (*ValueBatch, error) {
	for i, a := range answers {
		if len(a.Old) != len(a.Returns) || len(a.Old) == 0 {
			return nil, fmt.Errorf("value loss: answer %d has %d old values and %d returns", i, len(a.Old), len(a.Returns))
		}
	}
	scale, err := meanOver(len(answers), window)
	if err != nil {
		return nil, fmt.Errorf("value loss: %w", err)
	}
	return &ValueBatch{objective: o, answers: answers, scale: scale * o.Factor(), terms: make([]valueSums, len(answers))}, nil
}

// Gradient implements [engine.Loss].
func (b *ValueBatch) Gradient(first int, outputs []engine.Output) ([]engine.Gradient, error) {
	return gradients("value loss", "answer", first, len(b.answers), outputs, func(i int, out engine.Output) (g engine.Gradient, err error) {
		g.Values, err = b.answer(i, out.Values)
		return g, err
	})
}

func (b *ValueBatch) answer(i int, values []float32) ([]float32, error) {
	a := b.answers[i]
	if n := len(values) - 1; len(a.Returns) != n && len(a.Returns) != n+1 {
		return nil, fmt.Errorf("%d values for %d positions: the policy needs a value head", len(values), len(a.Returns))
	}
	var sums valueSums
	scale := b.scale / float64(len(a.Returns))
	grad := make([]float32, len(values))
	for x, ret := range a.Returns {
		v := float64(values[x])
		loss, g, clipped := b.objective.SquaredError(v, float64(a.Old[x]), ret)
		sums.merge(valueSums{
			loss: scale * loss, positions: 1, clipped: count(clipped),
			values: v, returns: ret, squared: ret * ret, errors: (v - ret) * (v - ret),
		})
		grad[x] = float32(scale * g)
	}
	if err := checkFinite(sums.loss); err != nil {
		return nil, err
	}
	b.terms[i] = sums
	return grad, nil
}

// Stats returns the statistics of the answers that Gradient has seen.
func (b *ValueBatch) Stats() ValueStats {
	var sums valueSums
	for _, t := range b.terms {
		sums.merge(t)
	}
	return sums.stats()
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A Move is what the actor loss knows about one answer of a turn.
type Move struct {
	Turn      int       // from 0
	Tokens    int       // number of sampled tokens, the end token included
	Advantage float64   // normalised temporal-difference error of the turn
	Behaviour []float32 // [Tokens] log-probabilities they were drawn with; needed for ratios, may be nil without a cap
}

// NewActorBatch prepares the policy loss of turn-level actor-critics (IAC and MAAC, MAGRPO §5): −mean over moves of
// A·log π(answer), log-probabilities summed over the tokens of an answer. It has no ratio and no clip; a cap other than 0
// weighs the tokens of moves that an older policy made, as in [GroupObjective].
func NewActorBatch(moves []Move, cap float64) (*GroupBatch, error) {
	samples := make([]NodeSample, len(moves))
	for i, m := range moves {
		samples[i] = NodeSample{
			Turn: m.Turn, Weight: 1,
			Completions: []Completion{{Tokens: m.Tokens, Advantage: m.Advantage, Behaviour: m.Behaviour}},
		}
	}
	return NewGroupBatch(samples, GroupObjective{Reduction: SeqSum, Cap: cap})
}

// CriticObjective is the value loss of turn-level actor-critics: weight·mean (V − T)², clipped around the value at rollout
// for heads that share their trunk with the policy.
func CriticObjective(weight float64, shared bool, clip float64) ValueObjective {
	return ValueObjective{Weight: weight, Clip: shared, Range: clip}
}

// SquaredValueLoss returns the loss (V − T)² of a separate critic and its derivative with respect to the value.
func SquaredValueLoss(value, target float64) (loss, grad float64) {
	d := value - target
	return d * d, 2 * d
}

// SharedValueLoss returns the loss of a value head that shares its trunk with the policy (IAC, MAGRPO §5),
// max((V − T)², (clip(V, V_old ± clip) − T)²), and its derivative with respect to the value: zero where the clipped term is
// the larger one and the value lies outside the clip range.
func SharedValueLoss(value, old, target, clip float64) (loss, grad float64) {
	loss, grad = SquaredValueLoss(value, target)
	held := min(max(value, old-clip), old+clip)
	clipped, clippedGrad := SquaredValueLoss(held, target)
	if clipped <= loss {
		return loss, grad
	}
	if held != value {
		clippedGrad = 0
	}
	return clipped, clippedGrad
}
