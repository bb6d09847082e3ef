package reward

import "fmt"

// A Design says how the scores of later turns are credited to an answer (§2.2).
type Design string

// The designs of the paper, and three more that its code has. D_t = Σ_{k=0..T-t} γ^k normalises, with 0^0 = 1.
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

// Rewards returns the reward of every answer from the scores V [turn][agent]. gamma is in [0, 1]. The expectation over the
// other agents' answers is replaced by the one rollout that was sampled. The design must pass [Design.Check].
//
// With every design of the paper, the last turn has R = V, constant scores are their own rewards, and rewards stay within the
// range of the scores.
func Rewards(d Design, gamma float64, scores [][]float64) [][]float64 {
	rewards := make([][]float64, len(scores))
	var later credit
	for t := len(scores) - 1; t >= 0; t-- {
		later = later.before(scores[t], gamma)
		rewards[t] = make([]float64, len(scores[t]))
		for a := range scores[t] {
			rewards[t][a] = later.reward(d, scores[t], scores[len(scores)-1], gamma, a)
		}
	}
	return rewards
}

// A credit holds the discounted sums over the turns from t on, seen from turn t.
type credit struct {
	norm  float64   // D_t
	own   []float64 // Σ_{t'≥t} γ^{t'-t} V(t',a), for each agent
	team  float64   // the same of the mean over agents
	after float64   // team of turn t+1
}

func (c credit) before(scores []float64, gamma float64) credit {
	own := make([]float64, len(scores))
	for a, v := range scores {
		own[a] = v
		if c.own != nil {
			own[a] += gamma * c.own[a]
		}
	}
	return credit{norm: 1 + gamma*c.norm, own: own, team: mean(scores) + gamma*c.team, after: c.team}
}

func (c credit) reward(d Design, scores, last []float64, gamma float64, agent int) float64 {
	switch d {
	case Immediate:
		return scores[agent]
	case Cumulative:
		return c.own[agent] / c.norm
	case Influence:
		return (scores[agent] + gamma*c.after) / c.norm
	case TurnMean:
		return mean(scores)
	case LastTurnMean:
		return mean(last)
	case LastTurnOwn:
		return last[agent]
	}
	panic("internal error: " + d.Check().Error())
}

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

func checkGamma(gamma float64) error {
	if !(gamma >= 0 && gamma <= 1) {
		return fmt.Errorf("reward gamma %v is out of range: use a number from 0 to 1", gamma)
	}
	return nil
}
