package sweet

// This file is DPO over many turns as one pair, with the mean log-ratio of a turn as its advantage (SWEET-RL, arXiv 2503.15478, §4).
//
// A dialogue holds what one agent said, turn by turn and token by token; what others said has no tokens here. With the log-ratio of a token
//
//	d = log π(token) − log π_ref(token)
//
// the advantage of a turn is its mean, A = (1/L)·Σ d, and 0 where nothing was said ([Advantages]). Without the 1/L a long turn weighs more, and
// replies shrink. The score of a dialogue is Σ_turns w·Σ_tokens d:
//
//	sum         w = 1                            DPO of whole dialogues
//	turn_mean   w = 1/(tokens of the turn)       Σ_t A_t
//	token_mean  w = 1/(tokens of the dialogue)   the mean of all log-ratios, as the published code has it
//
// and the loss of a pair is
//
//	L = −log σ(β·(score⁺ − score⁻)) + nll·(−mean of log π over all tokens of the chosen one)
//
// Its derivative with respect to a token's log-probability is −β·σ(−margin)·w − nll/N⁺ for the chosen dialogue and +β·σ(−margin)·w for the other.
//
// The three stages of the paper are this loss. The critic: log-probabilities given the hidden reference, turn_mean, pairs by reward
// ([Objective.Compare]). The policy: single turns, sum. Multi-turn DPO, the baseline: whole dialogues, sum. One turn each with sum is [loss.DPO].

import (
	"fmt"

	"parley/internal/tie"
	"parley/rl/loss"
)

// A Reduction says how the tokens of a dialogue are weighed.
type Reduction string

// The reductions.
const (
	Sum       Reduction = "sum"
	TurnMean  Reduction = "turn_mean"
	TokenMean Reduction = "token_mean"
)

// Check returns an error for a reduction that is none of the three.
func (r Reduction) Check() error {
	if r != Sum && r != TurnMean && r != TokenMean {
		return fmt.Errorf("reduction %q of a dialogue: write sum, turn_mean or token_mean", r)
	}
	return nil
}

// A Dialogue is the log-probabilities of an agent's own tokens, [turn][token], under the policy and under the reference.
type Dialogue struct {
	Logps, Reference [][]float64
}

// check reports turns whose tokens do not fit each other.
func (d Dialogue) check() error {
	if len(d.Logps) != len(d.Reference) {
		return fmt.Errorf("dialogue: %d turns of the policy, %d of the reference", len(d.Logps), len(d.Reference))
	}
	for t := range d.Logps {
		if len(d.Logps[t]) != len(d.Reference[t]) {
			return fmt.Errorf("dialogue: turn %d has %d tokens of the policy, %d of the reference", t+1, len(d.Logps[t]), len(d.Reference[t]))
		}
	}
	return nil
}

func (d Dialogue) tokens() int {
	n := 0
	for _, turn := range d.Logps {
		n += len(turn)
	}
	return n
}

// weight is that of a token in a turn of n tokens, in a dialogue of all.
func (r Reduction) weight(n, all int) float64 {
	switch r {
	case TurnMean:
		return 1 / float64(max(n, 1))
	case TokenMean:
		return 1 / float64(max(all, 1))
	}
	return 1
}

// ratio is the sum of the log-ratios of a turn.
func (d Dialogue) ratio(turn int) float64 {
	sum := 0.0
	for l, logp := range d.Logps[turn] {
		sum += logp - d.Reference[turn][l]
	}
	return sum
}

// Score returns the score of a dialogue.
func (r Reduction) Score(d Dialogue) (float64, error) {
	if err := r.Check(); err != nil {
		return 0, err
	}
	if err := d.check(); err != nil {
		return 0, err
	}
	sum, all := 0.0, d.tokens()
	for t, turn := range d.Logps {
		sum += r.weight(len(turn), all) * d.ratio(t)
	}
	return sum, nil
}

// Advantages returns the mean log-ratio of every turn.
func Advantages(d Dialogue) ([]float64, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	out := make([]float64, len(d.Logps))
	for t, turn := range d.Logps {
		out[t] = TurnMean.weight(len(turn), 0) * d.ratio(t)
	}
	return out, nil
}

// An Objective is the loss of pairs of dialogues.
type Objective struct {
	Beta      float64
	Reduction Reduction
	NLL       float64 // share of the chosen dialogue's negative log-likelihood
}

// A Result is the loss of one pair.
type Result struct {
	Chosen, Rejected float64 // scores
	Margin           float64 // β·(chosen − rejected)
	DPO              float64 // log(1 + e^(−margin))
	NLL              float64 // −mean of the chosen's log-probabilities; 0 where it has no tokens
	Loss             float64
	// Derivatives of the loss with respect to the log-probabilities under the policy, [turn][token].
	ChosenGrad, RejectedGrad [][]float64
}

// Pair returns the loss of a pair.
func (o Objective) Pair(chosen, rejected Dialogue) (Result, error) {
	var r Result
	var err error
	if r.Chosen, err = o.Reduction.Score(chosen); err != nil {
		return Result{}, fmt.Errorf("chosen %w", err)
	}
	if r.Rejected, err = o.Reduction.Score(rejected); err != nil {
		return Result{}, fmt.Errorf("rejected %w", err)
	}
	var slope float64 // with respect to the chosen score; its negative for the other
	r.DPO, slope = loss.DPO(loss.JointPreference{Winner: r.Chosen, Loser: r.Rejected}, o.Beta, 0)
	r.Margin = o.Beta * (r.Chosen - r.Rejected)
	n := float64(max(chosen.tokens(), 1))
	for _, turn := range chosen.Logps {
		for _, logp := range turn {
			r.NLL -= logp / n
		}
	}
	r.Loss = r.DPO + o.NLL*r.NLL
	r.ChosenGrad = o.grads(chosen, slope, -o.NLL/n)
	r.RejectedGrad = o.grads(rejected, -slope, 0)
	return r, nil
}

// grads are slope·w + offset for every token.
func (o Objective) grads(d Dialogue, slope, offset float64) [][]float64 {
	out, all := make([][]float64, len(d.Logps)), d.tokens()
	for t, turn := range d.Logps {
		out[t] = make([]float64, len(turn))
		for l := range turn {
			out[t][l] = slope*o.Reduction.weight(len(turn), all) + offset
		}
	}
	return out
}

// Compare returns the loss of two dialogues about one task of which the first has earned more. ok is false where it has not: then there is nothing
// to learn. Rewards that differ by rounding are equal.
func (o Objective) Compare(better, worse Dialogue, reward, lower float64) (r Result, ok bool, err error) {
	if !tie.Above(reward, lower, 0) {
		return Result{}, false, nil
	}
	r, err = o.Pair(better, worse)
	return r, err == nil, err
}
