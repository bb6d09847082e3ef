package game

import (
	"math"
	"testing"
)

// A learner is a tabular softmax policy over the states of a game that climbs the gradient of its own expected pay plus
// τ·entropy. It knows no equilibrium: it only ever sees the other's present policy.
type learner struct {
	game   Game
	logits [][]float64 // [turn][count] of collaborating
}

func newLearner(g Game) *learner {
	l := &learner{game: g, logits: make([][]float64, g.Turns)}
	for t := range l.logits {
		l.logits[t] = make([]float64, g.Threshold)
	}
	return l
}

func (l *learner) p(t, c int) float64 { return sigmoid(l.logits[t][c]) }

// gradient is that of the expected pay, at every state as if it were surely reached, given how the other plays.
func (l *learner) gradient(other func(t, c int) float64, weight float64) [][]float64 {
	g := l.game
	grad := make([][]float64, g.Turns)
	next := make([]float64, g.Threshold+1)
	for t := g.Turns - 1; t >= 0; t-- {
		now := make([]float64, g.Threshold+1)
		now[g.Threshold] = float64(g.Turns-t) * (g.RSyn + weight*math.Ln2)
		grad[t] = make([]float64, g.Threshold)
		for c := range grad[t] {
			p := l.p(t, c)
			collaborate, independent := g.against(g.outcome(next, c), other(t, c))
			grad[t][c] = p * (1 - p) * (collaborate - independent - weight*l.logits[t][c])
			now[c] = p*collaborate + (1-p)*independent + weight*entropy(p)
		}
		next = now
	}
	return grad
}

func (l *learner) climb(grad [][]float64, rate float64) {
	for t := range grad {
		for c := range grad[t] {
			l.logits[t][c] += rate * grad[t][c]
		}
	}
}

// learnTogether trains two learners at once, each against the other's policy of the same moment.
func learnTogether(g Game, steps int) (a, b *learner) {
	a, b = newLearner(g), newLearner(g)
	for range steps {
		ga, gb := a.gradient(b.p, g.Tau), b.gradient(a.p, g.Tau)
		a.climb(ga, 1)
		b.climb(gb, 1)
	}
	return a, b
}

// End to end (§13): two learners that start at ½ reach the selected equilibrium.
func TestTwoLearnersReachTheEquilibrium(t *testing.T) {
	a, b := learnTogether(standard(2, 1), 4000)
	near(t, "first learner", a.p(0, 0), .96719, 5e-6)
	near(t, "second learner", b.p(0, 0), .96719, 5e-6)
	for _, g := range []Game{standard(10, 4), {Turns: 5, Threshold: 3, RCol: .2, RInd: .4, RSyn: .6, Tau: .1}} {
		a, _ := learnTogether(g, 40000)
		near(t, "p", a.p(0, 0), g.Equilibrium(DefaultEquilibrium()).First(), 1e-5)
	}
}

// learnAgainst trains one learner against a fixed partner.
func learnAgainst(g Game, partner, weight float64, steps int) float64 {
	l := newLearner(g)
	for range steps {
		l.climb(l.gradient(func(int, int) float64 { return partner }, weight), 5)
	}
	return l.p(0, 0)
}

// A learner without entropy term against a fixed partner switches at π = .4; with entropy weight .1, also in the later value,
// it crosses ½ at π = .35931 (§13).
func TestLearnerAgainstFixedPartner(t *testing.T) {
	g := standard(2, 1)
	if below, above := learnAgainst(g, .39, 0, 20000), learnAgainst(g, .41, 0, 20000); !(below < .1 && above > .9) {
		t.Errorf("without entropy: p is %v below the switch and %v above", below, above)
	}
	below, above := learnAgainst(g, .35930, g.Tau, 20000), learnAgainst(g, .35932, g.Tau, 20000)
	if !(below < .5 && above > .5 && above-below < .001) {
		t.Errorf("with entropy: p is %v below the crossing and %v above", below, above)
	}
	near(t, "learner against its soft response", learnAgainst(g, .6, g.Tau, 20000), g.SoftResponse(.6).First(), 1e-9)
}
