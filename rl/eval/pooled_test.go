package eval

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"parley/internal/seed"
)

// TestStudentKnownValues: tails of Student's t from tables: of 1 degree it is Cauchy's distribution, of many the normal one.
func TestStudentKnownValues(t *testing.T) {
	for _, c := range []struct{ t, freedom, want float64 }{
		{1, 1, 0.5},
		{12.7062, 1, 0.05},
		{4.3027, 2, 0.05},
		{2.5706, 5, 0.05},
		{2.2281, 10, 0.05},
		{3.1693, 10, 0.01},
		{1.959964, 1e7, 0.05},
		{0, 3, 1},
		{2, 2.5, 0.1587}, // between 2 degrees, 0.1835, and 3, 0.1393
	} {
		if got := studentTails(c.t, c.freedom); math.Abs(got-c.want) > 6e-5 && !(c.freedom == 2.5 && got > 0.1393 && got < 0.1835) {
			t.Errorf("P(|T| ≥ %v) with %v degrees is %v, want %v", c.t, c.freedom, got, c.want)
		}
	}
	for f := 1; f <= 10; f++ {
		if got := studentQuantile(0.05, float64(f)); math.Abs(got-student975(f)) > 1e-4 {
			t.Errorf("quantile of %d degrees is %v, want %v", f, got, student975(f))
		}
	}
}

// pooled compares scores of one measure.
func pooled(a, b [][]float64, stream uint64) Difference {
	d, err := ComparePooled(Pooled{Runs: a}, Pooled{Runs: b}, stream)
	if err != nil {
		panic(err)
	}
	return d
}

// TestComparePooledKnownValues: two problems and two runs each, by hand. The means of a's runs are 0.5 and 0.7, those of b's 0.2 and 0.4; the
// problems' differences 0.3 and 0.3. So V = 0 + 0.02/2 + 0.02/2 = 0.02 with 2 degrees of freedom, and D/√V = 0.3/0.1414 = 2.1213.
func TestComparePooledKnownValues(t *testing.T) {
	a, b := [][]float64{{0.4, 0.6}, {0.6, 0.8}}, [][]float64{{0.1, 0.3}, {0.3, 0.5}}
	d := pooled(a, b, 1)
	half := 4.302653 * math.Sqrt(0.02)
	if math.Abs(d.Mean-0.3) > 1e-12 || math.Abs(d.Interval.Low-(0.3-half)) > 1e-5 || math.Abs(d.Interval.High-(0.3+half)) > 1e-5 || math.Abs(d.P-0.16794) > 1e-4 {
		t.Errorf("%+v, want 0.3 ± %v and p = 0.16794", d, half)
	}
}

// TestComparePooledOfOneRun is the comparison over problems.
func TestComparePooledOfOneRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOfN(rapid.Float64Range(0, 1), 12, 12)
		a, b := scores.Draw(t, "a"), scores.Draw(t, "b")
		if got, want := pooled([][]float64{a}, [][]float64{b}, 4), compare(a, b, 4); got != want {
			t.Fatalf("%+v, want %+v", got, want)
		}
	})
}

// TestComparePooledIsFair: exchanging the systems mirrors the difference; where nothing varies, equal systems have p = 1.
func TestComparePooledIsFair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOfN(rapid.SliceOfN(rapid.Float64Range(0, 1), 8, 8), 2, 4)
		a, b := scores.Draw(t, "a"), scores.Draw(t, "b")
		ab, ba := pooled(a, b, 9), pooled(b, a, 9)
		if math.Abs(ab.Mean+ba.Mean) > 1e-12 || math.Abs(ab.Interval.Low+ba.Interval.High) > 1e-9 || math.Abs(ab.P-ba.P) > 1e-9 {
			t.Fatalf("%+v and %+v", ab, ba)
		}
		if !(ab.P >= 0 && ab.P <= 1) || (ab.P < 0.05) != (ab.Interval.Low > 0 || ab.Interval.High < 0) {
			t.Fatalf("p and interval contradict each other: %+v", ab)
		}
	})
	same := [][]float64{{1, 0, 1}, {1, 0, 1}}
	if d := pooled(same, same, 1); d.Mean != 0 || d.P != 1 || d.Interval != (Interval{}) {
		t.Errorf("a system with itself: %+v", d)
	}
}

// TestComparePooledKeepsItsLevel: where two systems are one and differ by their seeds and problems alone, 5 of 100 comparisons or fewer find a
// difference, with three runs each too; and a real difference is found.
func TestComparePooledKeepsItsLevel(t *testing.T) {
	rng := seed.Stream(7)
	// Each run has an ability of its own, each problem an ease; an answer is right or wrong.
	draw := func(runs int, ease []float64, better float64) [][]float64 {
		out := make([][]float64, runs)
		for s := range out {
			ability := 0.1*rng.NormFloat64() + better
			for _, e := range ease {
				right := 0.0
				if rng.Float64() < e+ability {
					right = 1
				}
				out[s] = append(out[s], right)
			}
		}
		return out
	}
	for _, runs := range []int{2, 3, 5} {
		const trials = 1000
		found, missed := 0, 0
		for i := range trials {
			ease := make([]float64, 60)
			for p := range ease {
				ease[p] = 0.2 + 0.6*rng.Float64()
			}
			if d := pooled(draw(runs, ease, 0), draw(runs, ease, 0), uint64(i)); d.P < 0.05 {
				found++
			}
			if d := pooled(draw(runs, ease, 0.4), draw(runs, ease, 0), uint64(i)); d.P >= 0.05 && runs > 2 {
				missed++
			}
		}
		if found > trials*6/100 || missed > trials/5 {
			t.Errorf("%d runs each: of %d comparisons of equals %d found a difference; of as many of unequals %d found none", runs, trials, found, missed)
		}
	}
}

// TestPooledInterval: by hand, the same V as above of one system; and answers that are all wrong are no proof that none can be right.
func TestPooledInterval(t *testing.T) {
	i := Pooled{Runs: [][]float64{{0.4, 0.6}, {0.6, 0.8}}}.Interval(1) // 0.02/2 over problems and 0.02/2 over runs
	if half := 4.302653 * math.Sqrt(0.02); math.Abs(i.Low-(0.6-half)) > 1e-5 || math.Abs(i.High-(0.6+half)) > 1e-5 {
		t.Errorf("interval %v, want 0.6 ± %v", i, half)
	}
	if i, want := (Pooled{Runs: [][]float64{{0, 0, 0}, {0, 0, 0}}}).Interval(1), Wilson(0, 3); i != want {
		t.Errorf("interval %v, want %v", i, want)
	}
}

func TestHolm(t *testing.T) {
	for _, c := range []struct{ p, want []float64 }{
		{nil, []float64{}},
		{[]float64{0.03}, []float64{0.03}},
		{[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}}, // the example of R's p.adjust
		{[]float64{0.5, 0.5, 0.9}, []float64{1, 1, 1}},
	} {
		got := Holm(c.p)
		for i := range got {
			got[i] = math.Round(got[i]*1e12) / 1e12
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("Holm(%v) is %v, want %v", c.p, got, c.want)
		}
	}
}
