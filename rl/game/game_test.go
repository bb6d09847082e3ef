package game

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// standard is the game of most examples: R_col .3, R_ind .5, R_syn 1, τ .1.
func standard(turns, threshold int) Game {
	return Game{Turns: turns, Threshold: threshold, RCol: 0.3, RInd: 0.5, RSyn: 1, Tau: 0.1}
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.12g, want %.12g ± %g", what, got, want, tolerance)
	}
}

// The table "Toy game" of §13.
func TestSection13Game(t *testing.T) {
	for _, c := range []struct {
		turns, threshold int
		rInd             float64
		p, value         float64 // entropy in V
		bareP, bareValue float64 // without
		hard             [3]float64
	}{
		{2, 1, .5, .9671872983, 1.3543867604, .9519758619, 1.2604989854, [3]float64{1, 1, 1}},
		{3, 2, .5, .2159132696, 1.5497091661, .2008405166, 1.4245817640, [3]float64{0, 0, 0}},
		{10, 7, .5, .2714528308, 5.1459065072, .9040510383, 4.9882192474, [3]float64{0, 0, 0}},
		{10, 4, .5, .9966310215, 7.6068404858, .9935220227, 7.1686133093, [3]float64{1, 1, 1}},
		{20, 12, .5, .9966317887, 12.1273747077, .9935162030, 11.5058266394, [3]float64{0, 0, 0}},
		{2, 1, .6, .0623661641, 1.2112983125, .0600052968, 1.1692621323, [3]float64{0, 0, 0}},
	} {
		g := standard(c.turns, c.threshold)
		g.RInd = c.rInd
		with, without := g.Equilibrium(DefaultEquilibrium()), g.Equilibrium(EquilibriumOptions{})
		near(t, "p", with.First(), c.p, 5e-11)
		near(t, "value", with.Value, c.value, 5e-11)
		near(t, "p without entropy", without.First(), c.bareP, 5e-11)
		near(t, "value without entropy", without.Value, c.bareValue, 5e-11)
		for i, pi := range Opponents {
			near(t, "hard best response", g.HardResponse(pi).First(), c.hard[i], 0)
		}
	}
	for i, want := range []float64{1.05, 1.10, 1.15} {
		near(t, "value of the hard best response, T 2", standard(2, 1).HardResponse(Opponents[i]).Value, want, 1e-12)
	}
	for i, want := range []float64{5.0783203125, 5.505789952, 6.030863808} {
		near(t, "value of the hard best response, T 10", standard(10, 4).HardResponse(Opponents[i]).Value, want, 5e-10)
	}
}

func TestSection13Pieces(t *testing.T) {
	last := standard(1, 1).Equilibrium(DefaultEquilibrium())
	near(t, "last turn without synergy", last.First(), .1192029220, 5e-11)
	near(t, "V(2,0)", last.Value, .5126928011, 5e-11)
	near(t, "V(2,1)", standard(1, 0).Equilibrium(DefaultEquilibrium()).Value, 1.0693147181, 5e-11)
	near(t, "first turn with synergy", standard(1, 0).Equilibrium(DefaultEquilibrium()).First(), 0.5, 0)
}

// Static matrix of §13: as τ → 0 the equilibrium goes where the corrected Observation 2 says.
func TestSection13StaticMatrix(t *testing.T) {
	for _, c := range []struct {
		rInd, rCol float64
		p          [3]float64 // τ .1, .05, .01
	}{
		{.5, .3, [3]float64{.93576576, .99746403, 1}},
		{.6, .3, [3]float64{.05938732, .00252291, 0}},
		{.5, .4, [3]float64{.98017689, .99966352, 1}},
	} {
		for i, tau := range []float64{.1, .05, .01} {
			g := Game{Turns: 2, Threshold: 1, RCol: c.rCol, RInd: c.rInd, RSyn: 1, Tau: tau}
			near(t, "p", g.Static(SelectSide), c.p[i], 5e-9)
		}
	}
}

func TestObservation1Switch(t *testing.T) {
	for _, c := range []struct{ rInd, switchAt float64 }{{.5, .4}, {.6, .75}} {
		g := standard(2, 1)
		g.RInd = c.rInd
		near(t, "threshold", g.CollaborationThreshold(), c.switchAt, 1e-12)
		near(t, "below", g.HardResponse(c.switchAt-1e-6).First(), 0, 0)
		near(t, "above", g.HardResponse(c.switchAt+1e-6).First(), 1, 0)
	}
	g := standard(2, 1)
	g.RSyn = g.RInd
	if !math.IsInf(g.CollaborationThreshold(), 1) {
		t.Error("collaborating pays although synergy does not")
	}
}

func TestObservation2(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rInd := rapid.Float64Range(0.01, 1).Draw(t, "RInd")
		rCol := rapid.Float64Range(0, rInd-0.01).Draw(t, "RCol")
		g := Game{Turns: 2, Threshold: 1, RCol: rCol, RInd: rInd, RSyn: 1, Tau: 1e-4}
		margin := 1 - (3*rInd - 2*rCol)
		if math.Abs(margin) < 0.01 {
			return
		}
		if p := g.Static(SelectSide); (p > 0.5) != (margin > 0) || min(p, 1-p) > 1e-6 {
			t.Fatalf("p = %v with margin %v", p, margin)
		}
	})
}

// Every choice of a solution is an equilibrium: the soft best response to itself. (With T = 2 the last turn does not depend on
// the partner under the joint count, so one fixed probability describes the partner.)
func TestEquilibriumIsItsOwnSoftResponse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGame(t)
		g.Turns, g.Threshold, g.Count = 2, 1, CountJoint
		for _, s := range []Selection{SelectSide, SelectLowest, SelectHighest} {
			p := g.Equilibrium(EquilibriumOptions{Entropy: true, Selection: s}).First()
			if soft := g.SoftResponse(p).First(); math.Abs(soft-p) > 1e-9 {
				t.Fatalf("%s: soft response to %v is %v", s, p, soft)
			}
		}
	})
}

func drawGame(t *rapid.T) Game {
	turns := rapid.IntRange(1, 8).Draw(t, "turns")
	rInd := rapid.Float64Range(0.01, 1).Draw(t, "RInd")
	return Game{
		Turns: turns, Threshold: rapid.IntRange(0, turns+1).Draw(t, "threshold"),
		RInd: rInd, RCol: rInd * rapid.Float64Range(0, 1).Draw(t, "RCol share"),
		RSyn: rapid.Float64Range(0, 2).Draw(t, "RSyn"), Tau: rapid.Float64Range(0.005, 1).Draw(t, "tau"),
		Count: rapid.SampledFrom([]Count{"", CountJoint, CountTotal}).Draw(t, "count"),
	}
}

func TestSolutionsAreProbabilitiesAndBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGame(t)
		if err := g.Check(); err != nil {
			t.Fatal(err)
		}
		top := float64(g.Turns) * (max(g.RSyn, g.RInd) + g.Tau*math.Ln2)
		for name, s := range map[string]Solution{
			"equilibrium": g.Equilibrium(DefaultEquilibrium()), "hard": g.HardResponse(0.6), "soft": g.SoftResponse(0.6),
		} {
			for _, row := range s.P {
				for _, p := range row {
					if !(p >= 0 && p <= 1) {
						t.Fatalf("%s: probability %v", name, p)
					}
				}
			}
			if !(s.Value >= 0 && s.Value <= top+1e-9) {
				t.Fatalf("%s: value %v outside [0, %v]", name, s.Value, top)
			}
		}
		if g.SoftResponse(0.6).Value < g.HardResponse(0.6).Value-1e-9 {
			t.Fatal("the entropy bonus made the best response worth less")
		}
	})
}

// With a threshold out of reach, or in its last turn, the game is one turn played again and again.
func TestUnreachableThreshold(t *testing.T) {
	g := standard(4, 9)
	once := standard(1, 1).Equilibrium(DefaultEquilibrium())
	s := g.Equilibrium(DefaultEquilibrium())
	near(t, "p", s.First(), once.First(), 1e-12)
	near(t, "value", s.Value, 4*once.Value, 1e-12)
	near(t, "hard best response", g.HardResponse(1).Value, 4*0.5, 1e-12)
}

func TestCheckNamesTheFault(t *testing.T) {
	for _, g := range []Game{
		{Turns: 0, Tau: 1}, {Turns: 1, Threshold: -1, Tau: 1}, {Turns: 1}, {Turns: 1, Tau: math.NaN()}, {Turns: 1, Tau: 1, Count: "half"},
	} {
		if g.Check() == nil {
			t.Errorf("%+v passed", g)
		}
	}
	if SelectSide.Check() != nil || Selection("middle").Check() == nil {
		t.Error("selections are not told apart")
	}
}
