package game

import (
	"fmt"
	"math"
	"testing"

	"parley/internal/seed"
)

// averages is one row of the table of averages of §13.
type averages struct {
	turns, threshold int
	equilibrium      float64
	bare             float64 // equilibrium without entropy in V
	hard, soft       [3]float64
}

var section13Averages = []averages{
	{10, 9, .2344, .3144, [3]float64{.005, .022, .055}, [3]float64{.1836, .1837, .1838}},
	{10, 8, .3945, .4356, [3]float64{.038, .088, .159}, [3]float64{.1838, .1852, .1945}},
	{10, 7, .5106, .5174, [3]float64{.114, .199, .288}, [3]float64{.1886, .2146, .2941}},
	{10, 6, .6049, .5975, [3]float64{.232, .332, .421}, [3]float64{.2415, .3415, .4413}},
	{10, 5, .6856, .6575, [3]float64{.378, .471, .546}, [3]float64{.3885, .4929, .5751}},
	{10, 4, .7308, .6974, [3]float64{.526, .601, .659}, [3]float64{.5492, .6312, .6926}},
	{20, 19, .1836, .2592, [3]float64{.000, .000, .002}, [3]float64{.1836, .1836, .1836}},
	{20, 18, .2473, .3424, [3]float64{.000, .001, .014}, [3]float64{.1836, .1836, .1836}},
	{20, 17, .3349, .3926, [3]float64{.001, .008, .044}, [3]float64{.1836, .1836, .1836}},
	{20, 16, .4070, .4517, [3]float64{.004, .030, .094}, [3]float64{.1836, .1836, .1839}},
	{20, 15, .4688, .4808, [3]float64{.017, .067, .159}, [3]float64{.1836, .1837, .1892}},
	{20, 14, .5237, .5380, [3]float64{.042, .123, .234}, [3]float64{.1837, .1855, .2367}},
	{20, 13, .5738, .5553, [3]float64{.086, .193, .311}, [3]float64{.1842, .2050, .3221}},
	{20, 12, .6191, .6129, [3]float64{.147, .270, .387}, [3]float64{.1903, .2765, .4057}},
	{20, 11, .6613, .6228, [3]float64{.223, .351, .459}, [3]float64{.2299, .3664, .4836}},
	{20, 10, .7004, .6783, [3]float64{.309, .432, .527}, [3]float64{.3173, .4533, .5556}},
	{20, 9, .7407, .6973, [3]float64{.397, .508, .590}, [3]float64{.4141, .5346, .6219}},
}

func first(solve func(Game) Solution) func(Game) float64 {
	return func(g Game) float64 { return solve(g).First() }
}

func equilibrium(o EquilibriumOptions) func(Game) float64 {
	return first(func(g Game) Solution { return g.Equilibrium(o) })
}

// The table of averages of §13. Its grids are 160² and 120²; ours are coarser to be quick, which the tolerances cover. Hard
// best responses jump from 0 to 1 inside the grid and need a finer one.
func TestSection13Averages(t *testing.T) {
	for _, row := range section13Averages {
		t.Run(fmt.Sprintf("T%dC%d", row.turns, row.threshold), func(t *testing.T) {
			g := Game{Turns: row.turns, Threshold: row.threshold, RSyn: 1, Tau: 0.1}
			const grid, fine = 27, 80
			near(t, "equilibrium", g.GridMean(grid, equilibrium(DefaultEquilibrium())), row.equilibrium, 0.0025)
			near(t, "without entropy", g.GridMean(grid, equilibrium(EquilibriumOptions{})), row.bare, 0.0025)
			for i, pi := range Opponents {
				near(t, "hard", g.GridMean(fine, first(func(g Game) Solution { return g.HardResponse(pi) })), row.hard[i], 0.005)
				near(t, "soft", g.GridMean(grid, first(func(g Game) Solution { return g.SoftResponse(pi) })), row.soft[i], 0.001)
			}
		})
	}
}

// T = 10: the range that the choice among several equilibria leaves (§13).
func TestSection13LowestAndHighest(t *testing.T) {
	for c, want := range map[int][2]float64{
		9: {.2344, .2344}, 8: {.3945, .3945}, 7: {.5073, .5118}, 6: {.5871, .6094}, 5: {.6268, .6937}, 4: {.6531, .7653},
	} {
		g := Game{Turns: 10, Threshold: c, RSyn: 1, Tau: 0.1}
		for i, s := range []Selection{SelectLowest, SelectHighest} {
			got := g.GridMean(50, equilibrium(EquilibriumOptions{Entropy: true, Selection: s}))
			near(t, fmt.Sprintf("C %d %s", c, s), got, want[i], 0.0025)
		}
	}
}

// The paper's claim for Figure 5: learning together collaborates more than learning against any of the fixed partners, the
// more readily collaborating the better. With the count of §2.1 it does not hold (§9).
func TestFigure5Ordering(t *testing.T) {
	mean := func(g Game, f func(Game) float64) float64 { return g.GridMean(25, f) }
	for _, turns := range []int{10, 20} {
		fig := Game{RSyn: 1, Tau: 0.1}.Figure5(turns, Figure5Thresholds(turns), mean)
		for i, c := range fig.Thresholds {
			joint, p5, p6, p7 := fig.Curves[0].P[i], fig.Curves[1].P[i], fig.Curves[2].P[i], fig.Curves[3].P[i]
			if !(joint > p7 && p7 >= p6 && p6 >= p5) {
				t.Errorf("T %d C %d: %v, %v, %v, %v are out of order", turns, c, joint, p7, p6, p5)
			}
		}
	}
	total := Game{RSyn: 1, Tau: 0.1, Count: CountTotal}.Figure5(10, []int{9}, func(g Game, f func(Game) float64) float64 { return g.GridMean(100, f) })
	for i, want := range []float64{.535, .587, .619, .651} {
		near(t, "total count: "+total.Curves[i].Name, total.Curves[i].P[0], want, 0.005)
	}
}

func TestFigure5Thresholds(t *testing.T) {
	for turns, want := range map[int]string{10: "[9 8 7 6 5 4]", 20: "[19 18 17 16 15 14 13 12 11 10 9]", 3: "[2 1]", 1: "[]"} {
		if got := fmt.Sprint(Figure5Thresholds(turns)); got != want {
			t.Errorf("T %d: %s, want %s", turns, got, want)
		}
	}
}

// Random payoffs estimate what the grid integrates; the standard error at 5,000 samples is about .006 (§13).
func TestSampleMeanAgreesWithGrid(t *testing.T) {
	g := Game{Turns: 10, Threshold: 6, RSyn: 1, Tau: 0.1}
	f := equilibrium(DefaultEquilibrium())
	got := g.SampleMean(5000, seed.Stream(1).Float64, f)
	near(t, "samples", got, .6049, 0.025)
	if again := g.SampleMean(5000, seed.Stream(1).Float64, f); again != got {
		t.Errorf("the same seed gave %v and %v", got, again)
	}
	if other := g.SampleMean(5000, seed.Stream(2).Float64, f); other == got {
		t.Error("another seed gave the same samples")
	}
}

// The floor of all soft averages: what a single turn does, ∫₀¹ −ln k/(1+e^{10k}) dk.
func TestSection13Floor(t *testing.T) {
	integral, n := 0.0, 2_000_000
	for i := range n {
		k := (float64(i) + 0.5) / float64(n)
		integral += -math.Log(k) / (1 + math.Exp(10*k)) / float64(n)
	}
	near(t, "integral", integral, .1836260, 5e-7)
	g := Game{Turns: 1, Threshold: 1, RSyn: 1, Tau: 0.1}
	near(t, "grid", g.GridMean(300, equilibrium(DefaultEquilibrium())), .1836260, 2e-5)
}
