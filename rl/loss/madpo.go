package loss

import (
	"cmp"
	"math"
	"slices"

	"parley/internal/tie"
)

// A Pair is an ordered preference between two joint responses of one problem, by index: the winner earned more.
type Pair struct {
	Winner, Loser int
}

// PreferencePairs returns the pairs of joint responses with a positive reward gap, largest gap first, ties by winner and then
// by loser index, at most k of them; k = 0 keeps all (MADPO, MAGRPO §5: 16 pairs of 80 candidates). Rewards come from a range of a width:
// gaps, and differences of gaps, that are rounding in it are none.
func PreferencePairs(rewards []float64, k int, width float64) []Pair {
	rewards = tie.Levels(rewards, width)
	var pairs []Pair
	var gaps []float64
	for w := range rewards {
		for l := range rewards {
			if rewards[w] > rewards[l] {
				pairs, gaps = append(pairs, Pair{w, l}), append(gaps, rewards[w]-rewards[l])
			}
		}
	}
	gap := map[Pair]float64{}
	for i, level := range tie.Levels(gaps, width) {
		gap[pairs[i]] = level
	}
	slices.SortStableFunc(pairs, func(a, b Pair) int { return cmp.Compare(gap[b], gap[a]) })
	if k > 0 && k < len(pairs) {
		return pairs[:k]
	}
	return pairs
}

// A JointPreference holds one agent's summed log-probabilities of its parts of a winning and a losing joint response. The
// reference terms are those of its frozen start; leave them zero for the version without reference.
type JointPreference struct {
	Winner, Loser                   float64
	ReferenceWinner, ReferenceLoser float64
}

// Delta is how much more likely the agent makes the winner than the loser, relative to the reference.
func (p JointPreference) Delta() float64 {
	return (p.Winner - p.Loser) - (p.ReferenceWinner - p.ReferenceLoser)
}

// MADPO returns the multi-agent preference loss of one pair, −log σ(β·Σ_i Δ_i), and its derivative with respect to an
// agent's own winner log-probability; that with respect to the loser's is the negative. Both are the same for all agents:
// agent i holds its partners' Δ constant, and the value of the loss does not care who is held constant.
//
// The derivative depends on all agents, so it is computed from a forward pass of each and then trained with
// [SequenceWeights].
func MADPO(agents []JointPreference, beta float64) (loss, grad float64) {
	sum := 0.0
	for _, a := range agents {
		sum += a.Delta()
	}
	z := beta * sum
	return softplus(-z), -beta * sigmoid(-z)
}

// softplus is log(1 + exp(x)) without overflow.
func softplus(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// sigmoid is 1/(1 + exp(−x)) without overflow.
func sigmoid(x float64) float64 { return math.Exp(-softplus(-x)) }
