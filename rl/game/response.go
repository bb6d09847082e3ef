package game

import "math"

// HardResponse returns the best response to a partner who collaborates with probability opponent at every turn before
// synergy (§9): an agent that maximises its pay, and collaborates when both choices are equal.
func (g Game) HardResponse(opponent float64) Solution {
	return g.solve(g.RSyn, func(v outcome) (p, value float64) {
		collaborate, independent := g.against(v, opponent)
		if collaborate >= independent {
			return 1, collaborate
		}
		return 0, independent
	})
}

// SoftResponse is [Game.HardResponse] of an agent that also earns τ times the entropy of its choices: the logit response.
func (g Game) SoftResponse(opponent float64) Solution {
	return g.solve(g.RSyn+g.Tau*math.Ln2, func(v outcome) (p, value float64) {
		collaborate, independent := g.against(v, opponent)
		high, low := max(collaborate, independent), min(collaborate, independent)
		return sigmoid((collaborate - independent) / g.Tau), high + g.Tau*math.Log1p(math.Exp((low-high)/g.Tau))
	})
}

// against returns the values of both choices, Q(a0) and Q(a1), when the partner collaborates with probability opponent.
func (g Game) against(v outcome, opponent float64) (collaborate, independent float64) {
	collaborate = g.RCol + opponent*v.together + (1-opponent)*v.alone
	independent = g.RInd + opponent*v.deserted + (1-opponent)*v.apart
	return collaborate, independent
}

// CollaborationThreshold returns the least probability of a partner's collaboration from which on it pays to collaborate at
// turn 1 of the game with T = 2 and C = 1, (RInd − RCol)/(RSyn − RInd) (Observation 1). Above 1 it never pays.
func (g Game) CollaborationThreshold() float64 {
	if g.RSyn <= g.RInd {
		return math.Inf(1)
	}
	return (g.RInd - g.RCol) / (g.RSyn - g.RInd)
}
