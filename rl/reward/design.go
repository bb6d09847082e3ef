package reward

import (
	"fmt"
	"slices"

	"parley/internal/tie"
	"parley/task/answer"
)

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
	if slices.Contains(Designs, d) {
		return nil
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

// A Consensus ends a question early (§1.2): when the share of the majority answer is above Share and the mean score of the
// answers that agree with it is above Score, by more than rounding. The zero value is too easily reached to be useful; use nil for never.
type Consensus struct {
	Share float64 `json:"share"`
	Score float64 `json:"score"`
}

// Reached reports whether the answers of one turn, with their raw scores, end the question. Unparseable answers never agree
// with each other. When several answers are tied, any of them may end it.
func (c *Consensus) Reached(answers []answer.Answer, scores []float64) bool {
	if c == nil {
		return false
	}
	for _, winner := range answer.Winners(answers, answer.InvalidAbstains) {
		n, sum := 0, 0.0
		for i, a := range answers {
			if a == winner {
				n++
				sum += scores[i]
			}
		}
		if tie.Above(float64(n)/float64(len(answers)), c.Share, 1) && tie.Above(sum/float64(n), c.Score, 1) {
			return true
		}
	}
	return false
}

// An Answer is what rewards depend on of one answer of a debate.
type Answer struct {
	Agent   int     // who gave it, from 0
	Score   float64 // V(t, a)
	Flagged bool    // it deserves a penalty (§2.1)
	Correct bool    // it counts as right for the incentives (§2.3)
}

// A Turn holds the answers of those who spoke in one turn of a debate, at most one an agent. An agent that did not speak has no entry.
type Turn []Answer

// agents is how many agents a debate has: one more than the last that speaks.
func agents(debate []Turn) int {
	n := 0
	for _, turn := range debate {
		for _, a := range turn {
			n = max(n, a.Agent+1)
		}
	}
	return n
}

// perAnswer returns a number for every answer of a debate, [turn][speaker], all zero.
func perAnswer(debate []Turn) [][]float64 {
	out := make([][]float64, len(debate))
	for t, turn := range debate {
		out[t] = make([]float64, len(turn))
	}
	return out
}

// RightByScore says whether an answer counts as right when incentives go by the verifier instead of the label: its score is above one
// half (§2.3).
func RightByScore(score float64) bool { return tie.Above(score, 0.5, 1) }

// Feedback says in words what a verifier's raw score in [0, 1] means (§1.2). It suits own and others' answers alike.
func Feedback(score float64) string {
	switch {
	case score < 0.3:
		return "this answer is very probably wrong."
	case score < 0.6:
		return "this answer may be wrong, or its reasoning needs a stronger argument."
	case score < 0.8:
		return "this answer looks right, but its reasoning should be checked once more."
	}
	return "this answer is very probably right."
}
