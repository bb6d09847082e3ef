package reward

import "fmt"

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

// Incentives returns the bonus of every answer of a debate, [turn][speaker]. It is to be added to the reward of the same answer. Under
// [PaperRule]:
//
//   - An answer that became right, or wrong, since the agent's previous one earns +α, or −α: α1 where the majority of the
//     other agents was right before, α0 where it was wrong (Table 1).
//   - An answer after which the majority of the other agents becomes right, or wrong, earns +β, or −β: β1 where the answer
//     itself was right, β0 where it was wrong (Table 2).
//
// A majority is strict and of the other agents only: a tie, or no other agent, earns nothing. Where agents are silent in some turns, a
// majority is one of what the others said last: for Table 1 in the turn before the answer; for Table 2 in the turn of the answer and in
// that of the agent's next one, or the debate's last. Where all speak in every turn these are the turns t and t+1 of the tables.
func Incentives(rule IncentiveRule, c Coefficients, debate []Turn) [][]float64 {
	bonus := perAnswer(debate)
	said := standings(debate)
	for t, turn := range debate {
		for i, answer := range turn {
			a := answer.Agent
			now := sign(answer.Correct)
			if t > 0 && said[t-1][a] != 0 {
				bonus[t][i] += rule.revision(c, len(said[t]), change{said[t-1][a], now}, majority(said[t-1], a))
			}
			if next := nextTurn(debate, t, a); next > t {
				bonus[t][i] += rule.influence(c, t == 0, now, change{majority(said[t], a), majority(said[next], a)})
			}
		}
	}
	return bonus
}

// standings are what every agent's last answer was after each turn, [turn][agent]: 1 right, -1 wrong, 0 none yet.
func standings(debate []Turn) [][]int {
	out := make([][]int, len(debate))
	for t, turn := range debate {
		out[t] = make([]int, agents(debate))
		if t > 0 {
			copy(out[t], out[t-1])
		}
		for _, a := range turn {
			out[t][a.Agent] = sign(a.Correct)
		}
	}
	return out
}

// majority is 1 if more of the agents other than one were right than wrong, -1 if more were wrong, and 0 on a tie or without any.
func majority(said []int, agent int) int {
	balance := -said[agent]
	for _, x := range said {
		balance += x
	}
	return min(1, max(-1, balance))
}

// nextTurn is the first after turn t in which an agent speaks, or the debate's last.
func nextTurn(debate []Turn, t, agent int) int {
	for next := t + 1; next < len(debate); next++ {
		for _, a := range debate[next] {
			if a.Agent == agent {
				return next
			}
		}
	}
	return len(debate) - 1
}

// A change is what an agent or a majority was before and after: 1 right, -1 wrong, 0 neither.
type change struct{ from, to int }

// direction is 1 if wrong became right, -1 if right became wrong, else 0.
func (c change) direction() float64 {
	return float64(c.to*c.to*c.from*c.from) * float64(c.to-c.from) / 2
}

// revision is what an agent earns for changing its answer where the majority of the others was as said (Table 1). The authors' code
// exchanges α0 and α1 when the answer becomes right, and gives a single agent ±α1.
func (r IncentiveRule) revision(c Coefficients, agents int, own change, others int) float64 {
	if r == ReferenceRule && agents == 1 {
		return own.direction() * c.Alpha1
	}
	if r == ReferenceRule && own.direction() > 0 {
		c.Alpha0, c.Alpha1 = c.Alpha1, c.Alpha0
	}
	return own.direction() * pick(others, c.Alpha0, c.Alpha1)
}

// influence is what an agent earns for the change of the others after its answer (Table 2). The authors' code inverts the signs,
// exchanges β0 and β1 when the others become wrong, and gives nothing for answers of the first turn.
func (r IncentiveRule) influence(c Coefficients, first bool, own int, others change) float64 {
	if r != ReferenceRule {
		return others.direction() * pick(own, c.Beta0, c.Beta1)
	}
	if first {
		return 0
	}
	if others.direction() < 0 {
		c.Beta0, c.Beta1 = c.Beta1, c.Beta0
	}
	return -others.direction() * pick(own, c.Beta0, c.Beta1)
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
