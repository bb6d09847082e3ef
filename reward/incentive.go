package reward

import (
	"fmt"

	"parley/eval"
)

// Coefficients are the amounts of the incentives (§2.3); the paper uses 0, 1 and 2. All zero: no incentives.
type Coefficients struct {
	Alpha0 float64 `json:"alpha0"` // critical reasoning: being right against a wrong majority
	Alpha1 float64 `json:"alpha1"` // persuadability: following a right majority
	Beta0  float64 `json:"beta0"`  // wrong answers after which the others become right
	Beta1  float64 `json:"beta1"`  // right answers after which the others become right
}

// An IncentiveRule says which tables the incentives follow.
type IncentiveRule string

const (
	PaperRule     IncentiveRule = "paper"     // Tables 1 and 2 of the paper (the default)
	ReferenceRule IncentiveRule = "reference" // what the authors' published code does, defects included (§2.3), to compare with
)

// Check reports whether r is a known rule.
func (r IncentiveRule) Check() error {
	if r != PaperRule && r != ReferenceRule {
		return fmt.Errorf("incentive rule %q is not known: use %q or %q", string(r), PaperRule, ReferenceRule)
	}
	return nil
}

// Incentives returns the bonus of every answer from which answers are right, [turn][agent]. It is to be added to the reward
// of the same answer. Under [PaperRule]:
//
//   - An answer that became right, or wrong, since the agent's previous turn earns +α, or −α: α1 where the majority of the
//     other agents was right at the previous turn, α0 where it was wrong (Table 1).
//   - An answer after which the majority of the other agents becomes right, or wrong, earns +β, or −β: β1 where the answer
//     itself was right, β0 where it was wrong (Table 2).
//
// A majority is strict and of the other agents only: a tie, or no other agent, earns nothing.
func Incentives(rule IncentiveRule, c Coefficients, correct [][]bool) [][]float64 {
	bonus := make([][]float64, len(correct))
	for t := range correct {
		bonus[t] = make([]float64, len(correct[t]))
	}
	for t := 0; t+1 < len(correct); t++ {
		for a := range correct[t] {
			m := move{
				agents: len(correct[t]), first: t == 0,
				own:    change{sign(correct[t][a]), sign(correct[t+1][a])},
				others: change{eval.OthersMajority(correct[t], a), eval.OthersMajority(correct[t+1], a)},
			}
			revision, influence := m.paper(c)
			if rule == ReferenceRule {
				revision, influence = m.reference(c)
			}
			bonus[t+1][a] += revision
			bonus[t][a] += influence
		}
	}
	return bonus
}

// A change is what two turns in a row were: 1 right, -1 wrong, 0 a tie.
type change struct{ from, to int }

// direction is 1 if wrong became right, -1 if right became wrong, else 0.
func (c change) direction() float64 {
	return float64(c.to*c.to*c.from*c.from) * float64(c.to-c.from) / 2
}

// A move is one agent's step from a turn to the next: its own answer, and the majority of the others.
type move struct {
	agents      int
	first       bool // the earlier turn is the first
	own, others change
}

// paper returns the incentive for the later answer (Table 1) and the one for the earlier answer (Table 2).
func (m move) paper(c Coefficients) (revision, influence float64) {
	revision = m.own.direction() * pick(m.others.from, c.Alpha0, c.Alpha1)
	influence = m.others.direction() * pick(m.own.from, c.Beta0, c.Beta1)
	return revision, influence
}

// reference returns the same as the authors' code has it: α0 and α1 change places when an answer becomes right, the signs of
// Table 2 are inverted, β0 and β1 change places when the others become wrong, answers of the first turn have no influence,
// and a single agent earns ±α1.
func (m move) reference(c Coefficients) (revision, influence float64) {
	if m.agents == 1 {
		return m.own.direction() * c.Alpha1, 0
	}
	if m.own.direction() > 0 {
		c.Alpha0, c.Alpha1 = c.Alpha1, c.Alpha0
	}
	if m.others.direction() < 0 {
		c.Beta0, c.Beta1 = c.Beta1, c.Beta0
	}
	revision, influence = m.paper(c)
	if m.first {
		return revision, 0
	}
	return revision, -influence
}

// pick returns wrong for -1, right for 1, and nothing for a tie.
func pick(state int, wrong, right float64) float64 {
	switch state {
	case -1:
		return wrong
	case 1:
		return right
	}
	return 0
}

func sign(right bool) int {
	if right {
		return 1
	}
	return -1
}
