package explain

import (
	"slices"
	"strconv"
)

// A Joint is a joint action that an answer was part of.
type Joint struct {
	Action int
	Reward float64   // processed reward of the joint action
	Own    float64   // what the agent earned for itself alone beside that
	Below  []float64 // returns of the joint actions of the node that follows it; none: a leaf
	Owned  []float64 // the same with what the agent earned for itself
}

// Return is r + γ·mean(R below).
func (j Joint) Return(discount float64) float64 { return j.Reward + discount*mean(j.Below) }

// Joined explains what an answer earned by the joint actions that it was part of.
func Joined(s Settings, earned float64, joints []Joint) Formula {
	out := Formula{Name: "reward", Terms: []Term{{"R", "return that this answer is trained on", earned}}}
	for _, discount := range []float64{s.Discount, 0, 1} {
		returns := make([]float64, len(joints))
		for i, j := range joints {
			returns[i] = j.Return(discount)
		}
		switch {
		case len(joints) == 1 && near(returns[0], earned):
			return alone(out, joints[0], discount, earned)
		case len(joints) > 1 && near(mean(returns), earned):
			out.Exact, out.Formula = true, "R = mean over the joint actions with this answer"
			out.Filled = number(earned) + " = mean(" + list(returns) + ")"
		case len(joints) > 1 && near(mean(returns)*float64(len(joints)), earned):
			out.Exact, out.Formula = true, "R = sum over the joint actions with this answer"
			out.Filled = number(earned) + " = sum(" + list(returns) + ")"
		default:
			continue
		}
		for i, j := range joints[:min(len(joints), 8)] {
			out.Terms = append(out.Terms, Term{"R" + sub(j.Action), "return of joint action " + strconv.Itoa(j.Action+1), returns[i]})
		}
		return out
	}
	if f, ok := owned(out, s, joints); ok {
		return f
	}
	if f, ok := settled(out, s, joints, earned); ok {
		return f
	}
	if len(joints) == 1 && near(s.Alpha*joints[0].Reward+joints[0].Own, earned) {
		out.Exact, out.Formula = true, "R = α·r + own"
		out.Filled = number(earned) + " = " + number(s.Alpha) + "·" + signed(joints[0].Reward) + " + " + signed(joints[0].Own)
		out.Terms = append(out.Terms, Term{"α", "weight of the team's reward", s.Alpha}, Term{"r", "the team's reward", joints[0].Reward}, Term{"own", "what the agent earned for itself", joints[0].Own})
		return out
	}
	for _, j := range joints[:min(len(joints), 8)] {
		out.Terms = append(out.Terms, Term{"r" + sub(j.Action), "reward of joint action " + strconv.Itoa(j.Action+1), j.Reward})
	}
	return unknown(out, earned)
}

// settled is a return of which only the sign counts.
func settled(out Formula, s Settings, joints []Joint, earned float64) (Formula, bool) {
	if !s.Sign || len(joints) != 1 {
		return out, false
	}
	value, sign, relation := joints[0].Return(s.Discount), -1.0, " ≤ 0"
	if value > 0 {
		sign, relation = 1, " > 0"
	}
	if !near(sign, earned) {
		return out, false
	}
	out.Exact, out.Formula, out.Filled = true, "R = 1 if r > 0, else −1", number(earned)+", as r = "+number(value)+relation
	out.Terms = append(out.Terms, Term{"r", "what the team earned in this episode", value})
	return out, true
}

// owned is the return of the only joint action with what the agent earned for itself, then and later.
func owned(out Formula, s Settings, joints []Joint) (Formula, bool) {
	if len(joints) != 1 {
		return out, false
	}
	j := joints[0]
	value, r := j.Reward+j.Own+s.Discount*mean(j.Owned), "r"+sub(j.Action)
	if !near(value, out.Terms[0].Value) {
		return out, false
	}
	out.Exact, out.Formula = true, "R = "+r+" + own"
	out.Filled = number(value) + " = " + number(j.Reward) + " + " + signed(j.Own)
	out.Terms = append(out.Terms, Term{r, "reward of joint action " + strconv.Itoa(j.Action+1), j.Reward}, Term{"own", "what the agent earned for itself", j.Own})
	if len(j.Owned) > 0 {
		out.Formula += " + γ · mean(R of what followed)"
		out.Filled += " + " + number(s.Discount) + " · mean(" + list(j.Owned) + ")"
		out.Terms = append(out.Terms, Term{"γ", "discount over turns", s.Discount}, Term{"mean(R)", "of what followed, with what the agent earned for itself: " + list(j.Owned), mean(j.Owned)})
	}
	return out, true
}

// alone is the return of the only joint action that an answer was part of.
func alone(out Formula, j Joint, discount, earned float64) Formula {
	out.Exact = true
	r := "r" + sub(j.Action)
	out.Terms = append(out.Terms, Term{r, "reward of joint action " + strconv.Itoa(j.Action+1), j.Reward})
	if len(j.Below) == 0 || discount == 0 {
		out.Formula, out.Filled = "R = "+r, number(earned)+" = "+number(j.Reward)
		return out
	}
	out.Formula = "R = " + r + " + γ · mean(R of what followed)"
	out.Filled = number(earned) + " = " + number(j.Reward) + " + " + number(discount) + " · mean(" + list(j.Below) + ")"
	out.Terms = append(out.Terms, Term{"γ", "discount over turns", discount}, Term{"mean(R)", "of what followed: " + list(j.Below), mean(j.Below)})
	return out
}

// Scored explains what an answer earned by its own score.
func Scored(earned, score, penalty float64) Formula {
	out := Formula{Name: "reward", Terms: []Term{{"R", "return that this answer is trained on", earned}, {"s", "score of this answer", score}}}
	if penalty != 0 {
		out.Terms = append(out.Terms, Term{"p", "penalty of an answer without an end", penalty})
	}
	switch {
	case penalty == 0 && near(score, earned):
		out.Exact, out.Formula, out.Filled = true, "R = s", number(earned)+" = "+number(score)
	case penalty != 0 && near(score-penalty, earned):
		out.Exact, out.Formula, out.Filled = true, "R = s − p", number(earned)+" = "+number(score)+" − "+signed(penalty)
	default:
		return unknown(out, earned)
	}
	return out
}

func unknown(out Formula, earned float64) Formula {
	out.Formula, out.Filled = "R", number(earned)
	out.Note = "incentives, penalties or rewards of other turns are part of this number and are not recorded one by one (docs/run-folder.md)"
	return out
}

// sub writes an index, from 0, below its symbol, from 1.
func sub(i int) string {
	out := []rune(strconv.Itoa(i + 1))
	for k, r := range out {
		out[k] = r - '0' + '₀'
	}
	return string(out)
}

// Pair is what an answer earned and what it was reinforced with.
type Pair struct{ Return, Advantage float64 }

// Valued explains the advantage of an answer over a critic's value, A = R − V (MAGRPO §5, an agent's last turn): V is not recorded, and it is the
// same for all answers to one prompt, so that it is known where they agree on R − A. own is the place of the answer among them.
func Valued(answers []Pair, own int) (Formula, bool) {
	a := answers[own]
	value := a.Return - a.Advantage
	if len(answers) < 2 || slices.ContainsFunc(answers, func(other Pair) bool { return !near(other.Return-other.Advantage, value) }) {
		return Formula{}, false
	}
	return Formula{
		Name: "advantage", Exact: true, Formula: "A = R − V", Filled: number(a.Advantage) + " = " + number(a.Return) + " − " + signed(value),
		Terms: []Term{
			{"R", "return of this answer", a.Return},
			{"A", "advantage", a.Advantage},
			{"V", "the critic's value of the prompt: R − A of " + Answers(len(answers), "answers to it"), value},
		},
	}, true
}

// Unvalued is the advantage of an answer over a critic's values, of which the run has none.
func Unvalued(ret, advantage float64) Formula {
	return Formula{
		Name: "advantage", Formula: "A = R + γⁿ·V′ − V", Filled: number(advantage) + " = " + number(ret) + " + γⁿ·V′ − V",
		Terms: []Term{{"R", "return of this answer, until the critic is asked again", ret}, {"A", "advantage", advantage}},
		Note:  "V and V′, the critic's values of this prompt and of the next one, n turns on, are not recorded; at the end V′ is 0",
	}
}

// OfTokens is the advantage of an answer whose tokens have advantages of their own (MAPoRL §4).
func OfTokens(advantage float64, tokens int, whitened bool) Formula {
	f := Formula{
		Name: "advantage", Exact: true, Formula: "A = mean(Aₓ)", Filled: number(advantage) + " = the mean over " + strconv.Itoa(tokens) + " tokens",
		Terms: []Term{{"A", "mean advantage of the tokens of this answer", advantage}},
		Note:  "parley run tokens has the advantages of single tokens",
	}
	if whitened {
		f.Note = "tokens of this agent in this turn have mean 0 and variance 1; " + f.Note
	}
	return f
}
