package game

import (
	"fmt"
	"math"
)

// A Selection says which solution of p = σ((p·d − k)/τ) is meant where there are several (§9). The paper calls the
// regularised equilibrium unique; it is not.
type Selection string

const (
	// SelectSide takes the solution on the side of ½ given by the sign of ½d − k, and ½ where that is 0 (the default). It is
	// unique there, it is where iteration from p = ½ leads, and as τ → 0 it is the risk-dominant equilibrium.
	SelectSide    Selection = "selected"
	SelectLowest  Selection = "lowest"
	SelectHighest Selection = "highest"
)

// Check reports whether s is known.
func (s Selection) Check() error {
	if s != SelectSide && s != SelectLowest && s != SelectHighest {
		return fmt.Errorf("game: selection %q is not known: use %q, %q or %q", string(s), SelectSide, SelectLowest, SelectHighest)
	}
	return nil
}

// FixedPoint returns a solution of p = σ((p·d − k)/τ): the probability with which both agents collaborate when collaborating
// gains d where the partner joins and costs k in any case. An unknown selection is read as [SelectSide].
func FixedPoint(k, d, tau float64, s Selection) float64 {
	e := equation{k, d, tau}
	switch s {
	case SelectLowest:
		return e.lowest()
	case SelectHighest:
		return e.highest()
	}
	switch side := d/2 - k; {
	case side > 0:
		return e.root(0.5, 1)
	case side < 0:
		return e.root(0, 0.5)
	}
	return 0.5
}

// equation is h(p) = σ((p·d − k)/τ) − p. h is positive at 0 and negative at 1.
type equation struct{ k, d, tau float64 }

// at returns h(p) and its derivative.
func (e equation) at(p float64) (h, slope float64) {
	f := sigmoid((p*e.d - e.k) / e.tau)
	return f - p, f*(1-f)*e.d/e.tau - 1
}

// turning returns the two points between which h rises, cut to [0, 1]; it falls left and right of them. ok is false when h
// falls everywhere.
func (e equation) turning() (left, right float64, ok bool) {
	if e.d <= 4*e.tau { // σ' is at most ¼
		return 0, 0, false
	}
	f := (1 + math.Sqrt(1-4*e.tau/e.d)) / 2 // σ at the turning points is f and 1-f
	logit := math.Log(f) - math.Log1p(-f)
	cut := func(p float64) float64 { return min(1, max(0, p)) }
	return cut((e.k - e.tau*logit) / e.d), cut((e.k + e.tau*logit) / e.d), true
}

// lowest: h falls from 0 to the left turning point. If it has not crossed zero there, it does so only after the right one.
func (e equation) lowest() float64 {
	left, right, ok := e.turning()
	if !ok {
		return e.root(0, 1)
	}
	if h, _ := e.at(left); h <= 0 {
		return e.root(0, left)
	}
	return e.root(right, 1)
}

// highest is the mirror image of lowest.
func (e equation) highest() float64 {
	left, right, ok := e.turning()
	if !ok {
		return e.root(0, 1)
	}
	if h, _ := e.at(right); h >= 0 {
		return e.root(right, 1)
	}
	return e.root(0, left)
}

// root returns the zero of h in [low, high], where h(low) ≥ 0 ≥ h(high) and there is only one: Newton's method, with a step of
// bisection where Newton's would leave the bracket or is more than half as long as the one before: it might go round in a circle.
func (e equation) root(low, high float64) float64 {
	p, last := (low+high)/2, high-low
	for range 200 {
		h, slope := e.at(p)
		step := h / slope
		if math.Abs(step) <= 1e-15*p {
			return p
		}
		if h > 0 {
			low = p
		} else {
			high = p
		}
		next := p - step
		if !(next >= low && next <= high && math.Abs(step) <= last/2) {
			next = (low + high) / 2
		}
		if next == p { // the bracket is as narrow as can be
			return p
		}
		p, last = next, math.Abs(next-p)
	}
	return p
}

// GridMean returns the mean of f over payoffs on the midpoint grid of the paper's distribution, R_ind ~ U(0,1) and
// R_col ~ U(0, R_ind): RInd = (i+½)/n, RCol = RInd·(j+½)/n for i, j = 0..n-1. Everything else is that of g.
func (g Game) GridMean(n int, f func(Game) float64) float64 {
	sum := 0.0
	for i := range n {
		g.RInd = (float64(i) + 0.5) / float64(n)
		for j := range n {
			g.RCol = g.RInd * (float64(j) + 0.5) / float64(n)
			sum += f(g)
		}
	}
	return sum / float64(n*n)
}

// SampleMean returns the mean of f over n random payoffs of the same distribution; uniform draws from [0, 1). The paper takes 5,000.
func (g Game) SampleMean(n int, uniform func() float64, f func(Game) float64) float64 {
	sum := 0.0
	for range n {
		g.RInd = uniform()
		g.RCol = g.RInd * uniform()
		sum += f(g)
	}
	return sum / float64(n)
}
