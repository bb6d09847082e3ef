package game

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// solutions finds all fixed points the slow way: sign changes of h on a fine grid, refined by bisection.
func solutions(k, d, tau float64) []float64 {
	const cells = 20000
	e := equation{k, d, tau}
	var found []float64
	for i := range cells {
		low, high := float64(i)/cells, float64(i+1)/cells
		hl, _ := e.at(low)
		hh, _ := e.at(high)
		if (hl > 0) == (hh > 0) {
			continue
		}
		for range 60 {
			mid := (low + high) / 2
			if hm, _ := e.at(mid); (hm > 0) == (hl > 0) {
				low = mid
			} else {
				high = mid
			}
		}
		found = append(found, low)
	}
	return found
}

func TestFixedPointAgainstGridSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.Float64Range(-0.5, 1).Draw(t, "k")
		d := rapid.Float64Range(-1, 3).Draw(t, "d")
		tau := rapid.Float64Range(0.02, 1).Draw(t, "tau")
		all := solutions(k, d, tau)
		if len(all) == 0 {
			return // a solution within rounding of 0 or 1
		}
		e := equation{k, d, tau}
		left, right, ok := e.turning()
		if hl, _ := e.at(left); ok && math.Abs(hl) < 1e-6 {
			return // two solutions about to merge: the grid may miss both
		}
		if hr, _ := e.at(right); ok && math.Abs(hr) < 1e-6 {
			return
		}
		same := func(p, found float64) bool { // as well as rounding lets h tell: worse where it is flat
			_, slope := e.at(found)
			return math.Abs(p-found) <= 1e-9+1e-15/math.Abs(slope)
		}
		if got := FixedPoint(k, d, tau, SelectLowest); !same(got, all[0]) {
			t.Fatalf("lowest %v of %v", got, all)
		}
		if got := FixedPoint(k, d, tau, SelectHighest); !same(got, all[len(all)-1]) {
			t.Fatalf("highest %v of %v", got, all)
		}
		selected := FixedPoint(k, d, tau, SelectSide)
		if (d/2-k)*(selected-0.5) < 0 || !slices.ContainsFunc(all, func(p float64) bool { return same(selected, p) }) {
			t.Fatalf("selected %v of %v with ½d−k = %v", selected, all, d/2-k)
		}
	})
}

// Newton's method alone goes round in a circle of two points here.
func TestFixedPointWithoutCircles(t *testing.T) {
	e := equation{-0.09375, -1, 0.03125}
	for _, how := range []Selection{SelectLowest, SelectHighest} {
		p := FixedPoint(e.k, e.d, e.tau, how)
		if h, _ := e.at(p); math.Abs(h) > 1e-12 {
			t.Errorf("%v is no solution: %g is left", p, h)
		}
	}
}

// The paper's claim of uniqueness has a counterexample (§11, erratum 3).
func TestErratum3EquilibriumNotUnique(t *testing.T) {
	g := Game{Turns: 2, Threshold: 1, RCol: 0, RInd: .3, RSyn: 1, Tau: .1}
	near(t, "lowest", g.Equilibrium(EquilibriumOptions{Entropy: true, Selection: SelectLowest}).First(), .0903621, 5e-8)
	near(t, "highest", g.Equilibrium(EquilibriumOptions{Entropy: true, Selection: SelectHighest}).First(), .9897062, 5e-8)
}

func TestFixedPointOnTheFence(t *testing.T) {
	if p := FixedPoint(0.25, 0.5, 0.1, SelectSide); p != 0.5 {
		t.Errorf("½d = k gives %v, want ½", p)
	}
}

// Where it converges, plain iteration from ½ leads to the selected solution.
func TestSelectedIsWhereIterationLeads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.Float64Range(0, 1).Draw(t, "k")
		d := rapid.Float64Range(0, 2).Draw(t, "d")
		if math.Abs(d/2-k) < 0.01 {
			return
		}
		p := 0.5
		for range 20000 {
			p = sigmoid((p*d - k) / 0.1)
		}
		if got := FixedPoint(k, d, 0.1, SelectSide); math.Abs(got-p) > 1e-7 {
			t.Fatalf("selected %v, iteration ends at %v", got, p)
		}
	})
}
