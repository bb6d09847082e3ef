package game

import "math"

// EquilibriumOptions choose among the readings of the regularised equilibrium. The zero value has no entropy in the values and
// selects by side; [DefaultEquilibrium] is what the paper means.
type EquilibriumOptions struct {
	Entropy   bool      // values include the entropy terms τ·H(p), τ·ln 2 a turn with synergy
	Selection Selection // "" is SelectSide
}

// DefaultEquilibrium has entropy in the values and selects by side.
func DefaultEquilibrium() EquilibriumOptions {
	return EquilibriumOptions{Entropy: true, Selection: SelectSide}
}

// Equilibrium returns the symmetric regularised equilibrium (paper Def. 2) by backward induction: at every turn each agent
// collaborates with p = σ((Q(a0) − Q(a1))/τ) given that the other does so with the same p. The game must pass [Game.Check].
func (g Game) Equilibrium(o EquilibriumOptions) Solution {
	bonus := 0.0
	if o.Entropy {
		bonus = g.Tau
	}
	return g.solve(g.RSyn+bonus*math.Ln2, func(v outcome) (p, value float64) {
		// Q(a0) − Q(a1) is linear in the partner's p: −k at p = 0, d − k at p = 1.
		k := g.RInd - g.RCol - (v.alone - v.apart)
		d := (v.together - v.deserted) - (v.alone - v.apart)
		p = FixedPoint(k, d, g.Tau, o.Selection)
		collaborate := g.RCol + p*v.together + (1-p)*v.alone
		independent := g.RInd + p*v.deserted + (1-p)*v.apart
		return p, p*collaborate + (1-p)*independent + bonus*entropy(p)
	})
}

// Static returns the equilibrium of turn 1 alone in the game with T = 2 and C = 1 whose last turn is played independently
// (paper App. C): row player a0 earns RCol+RSyn or RCol+RInd, a1 earns 2·RInd. As τ → 0 it goes to collaboration exactly if
// RSyn > 3·RInd − 2·RCol (Observation 2, with the paper's misprint put right).
func (g Game) Static(s Selection) float64 {
	return FixedPoint(g.RInd-g.RCol, g.RSyn-g.RInd, g.Tau, s)
}
