package explain

import "slices"

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
