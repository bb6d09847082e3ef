package explain

import (
	"strconv"
	"strings"

	"parley/rl/reward"
)

// A Debate is what the answers of one debate were scored, and how scores become rewards (MAPoRL §2).
type Debate struct {
	Scheme reward.Scheme
	Turns  []reward.Turn // [turn][speaker]
}

// Paid explains what the i-th answer of a turn earned.
func (d Debate) Paid(turn, i int, earned float64) Formula {
	out := Formula{Name: "reward", Terms: []Term{{"R", "reward that this answer is trained on", earned}}}
	if d.Scheme.Check() != nil || !near(d.Scheme.Rewards(d.Turns)[turn][i], earned) {
		return unknown(out, earned)
	}
	out.Exact = true
	plain := d.Scheme
	plain.Incentives = reward.Coefficients{}
	base := plain.Rewards(d.Turns)[turn][i]
	d.design(&out, turn, i, base)
	if bonus := earned - base; !near(bonus, 0) {
		out.Formula += " + incentive"
		out.Filled += " + " + signed(bonus)
		out.Terms = append(out.Terms, Term{"incentive", "for changing the own mind, or those of others, for the better or the worse", bonus})
	}
	out.Filled = number(earned) + " = " + out.Filled
	return out
}

// design writes how scores reach an answer.
func (d Debate) design(out *Formula, turn, i int, base float64) {
	a := d.Turns[turn][i]
	if a.Flagged {
		out.Formula, out.Filled = "R = penalty", number(base)
		out.Terms = append(out.Terms, Term{"penalty", "of an answer with a flag, in the place of its score", d.Scheme.Penalty})
		if near(base, d.Scheme.Penalty) {
			return
		}
	}
	out.Terms = append(out.Terms, Term{"V", "score of this answer", a.Score})
	last := len(d.Turns) - 1
	switch {
	case d.Scheme.Design == reward.Immediate || turn == last && d.Scheme.Design != reward.TurnMean && d.Scheme.Design != reward.LastTurnMean:
		out.Formula, out.Filled = "R = V", number(base)
	case d.Scheme.Design == reward.Influence || d.Scheme.Design == reward.Cumulative:
		d.later(out, turn, a)
	default:
		out.Formula, out.Filled = "R = "+strings.ReplaceAll(string(d.Scheme.Design), "_", " ")+" of the scores", number(base)
	}
}

// later writes the discounted sum over an answer's turn and those behind it.
func (d Debate) later(out *Formula, turn int, a reward.Answer) {
	scored := d.Turns
	if d.Scheme.PenaltyScope == reward.ScopeScore {
		scored = reward.Penalise(d.Turns, d.Scheme.Penalty)
	}
	own := a.Score
	if a.Flagged && d.Scheme.PenaltyScope == reward.ScopeScore {
		own = d.Scheme.Penalty
	}
	parts, norm, weight := []string{signed(own)}, 1.0, 1.0
	what := "mean score of turn "
	if d.Scheme.Design == reward.Cumulative {
		what = "own score of turn "
	}
	for t := turn + 1; t < len(scored); t++ {
		weight *= d.Scheme.Gamma
		value, ok := d.of(scored[t], a.Agent)
		if !ok {
			continue
		}
		norm += weight
		parts = append(parts, number(weight)+"·"+signed(value))
		out.Terms = append(out.Terms, Term{"V" + sub(t), what + strconv.Itoa(t+1), value})
	}
	out.Terms = append(out.Terms, Term{"γ", "discount over turns", d.Scheme.Gamma}, Term{"D", "sum of the discounts", norm})
	out.Formula = "R = (V + γ·V of the next turn + …) / D"
	out.Filled = "(" + strings.Join(parts, " + ") + ") / " + number(norm)
}

// of is what a later turn counts with.
func (d Debate) of(turn reward.Turn, agent int) (float64, bool) {
	sum := 0.0
	for _, a := range turn {
		if d.Scheme.Design == reward.Cumulative && a.Agent == agent {
			return a.Score, true
		}
		sum += a.Score
	}
	if d.Scheme.Design == reward.Cumulative || len(turn) == 0 {
		return 0, false
	}
	return sum / float64(len(turn)), true
}
