// Package game is the repeated collaboration game of MAPoRL (arXiv 2502.18439 §2, App. C and D), in which learning together
// reaches what learning against a fixed partner does not. It is pure, and knows nothing of the rest of parley.
//
// Two agents play T turns. In each, both choose at once to collaborate (action a0) or to act independently (a1). Before the
// synergy, collaborating pays RCol and acting independently pays RInd > RCol; once collaboration has happened often enough,
// Threshold times, every turn pays RSyn to both whatever they do. So collaboration costs now and pays later, and only if the
// partner joins.
//
//	fixedpoint.go    p = σ((p·d − k)/τ), the equation of every turn, and which of its solutions is meant
//	equilibrium.go   the regularised symmetric equilibrium by backward induction
//	response.go      one agent against a partner with fixed behaviour
//	average.go       both averaged over random payoffs
//	figure.go        the curves of the paper's Figure 5
//
// Package [parley/cmd/parley/internal/gamecmd] draws the figure.
package game
