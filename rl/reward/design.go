package reward

import "fmt"

// A Design says how the scores of later turns are credited to an answer (§2.2).
type Design string

// The designs of the paper, and three more that its code has. D_t = Σ_{k=0..T-t} γ^k normalises, with 0^0 = 1.
//
// Where some agents are silent in a turn, the mean over agents is that over those who spoke in it. Sums over an agent's own turns, D_t of
// Cumulative included, are over those in which it spoke.
const (
	Immediate    Design = "immediate"      // R(t,a) = V(t,a)
	Cumulative   Design = "cumulative"     // R(t,a) = (1/D_t) Σ_{t'≥t} γ^{t'-t} V(t',a), paper eq. 1
	Influence    Design = "influence"      // as Cumulative, but later turns count with the mean over all agents, paper Def. 1
	TurnMean     Design = "turn_mean"      // the mean over agents of this turn
	LastTurnMean Design = "last_turn_mean" // the mean over agents of the last turn
	LastTurnOwn  Design = "last_turn_own"  // the agent's own score of the last turn
)

// Designs lists all designs, the default first.
var Designs = []Design{Influence, Immediate, Cumulative, TurnMean, LastTurnMean, LastTurnOwn}

// Check reports whether d is a known design.
func (d Design) Check() error {
	for _, known := range Designs {
		if d == known {
			return nil
		}
	}
	return fmt.Errorf("reward design %q is not known: use one of %q", string(d), Designs)
}

// Rewards returns the reward of every answer of a debate from the scores V, [turn][speaker]. gamma is in [0, 1]. The expectation over
// the other agents' answers is replaced by the one rollout that was sampled. The design must pass [Design.Check].
//
// With every design of the paper, the last turn has R = V, constant scores are their own rewards, and rewards stay within the
// range of the scores.
func Rewards(d Design, gamma float64, debate []Turn) [][]float64 {
	rewards := perAnswer(debate)
	later := credit{own: make([]own, agents(debate))}
	for t := len(debate) - 1; t >= 0; t-- {
		later = later.before(debate[t], gamma)
		for i, answer := range debate[t] {
			rewards[t][i] = later.reward(d, answer, mean(debate[len(debate)-1]), gamma)
		}
	}
	return rewards
}

// A credit holds the discounted sums over the turns from t on, seen from turn t.
type credit struct {
	norm  float64 // D_t
	own   []own   // of every agent
	turn  float64 // the mean of the scores of turn t
	team  float64 // Σ_{t'≥t} γ^{t'-t} of such means
	after float64 // team of turn t+1
}

// An own is what an agent's answers from turn t on come to.
type own struct {
	spoke bool
	norm  float64 // Σ γ^{t'-t} over the turns in which it spoke: D_t where it spoke in all
	sum   float64 // Σ γ^{t'-t} V(t',a) over the same turns
	last  float64 // its last score
}

// before is the credit seen from one turn earlier.
func (c credit) before(turn Turn, gamma float64) credit {
	m := mean(turn)
	out := credit{norm: 1 + gamma*c.norm, turn: m, team: m + gamma*c.team, after: c.team}
	for _, o := range c.own {
		out.own = append(out.own, own{spoke: o.spoke, norm: gamma * o.norm, sum: gamma * o.sum, last: o.last})
	}
	for _, answer := range turn {
		o := &out.own[answer.Agent]
		if !o.spoke {
			o.spoke, o.last = true, answer.Score
		}
		o.norm, o.sum = 1+o.norm, answer.Score+o.sum
	}
	return out
}

func (c credit) reward(d Design, answer Answer, last, gamma float64) float64 {
	o := c.own[answer.Agent]
	switch d {
	case Immediate:
		return answer.Score
	case Cumulative:
		return o.sum / o.norm
	case Influence:
		return (answer.Score + gamma*c.after) / c.norm
	case TurnMean:
		return c.turn
	case LastTurnMean:
		return last
	case LastTurnOwn:
		return o.last
	}
	panic("internal error: " + d.Check().Error())
}

// mean is that of the scores of a turn.
func mean(turn Turn) float64 {
	sum := 0.0
	for _, a := range turn {
		sum += a.Score
	}
	return sum / float64(len(turn))
}

func checkGamma(gamma float64) error {
	if !(gamma >= 0 && gamma <= 1) {
		return fmt.Errorf("reward gamma %v is out of range: use a number from 0 to 1", gamma)
	}
	return nil
}
