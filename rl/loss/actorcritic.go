package loss

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
