package eval

import (
	"math"
	"testing"
)

// TestPairedBySeed: Student's paired t test; the first case is computed by hand from d = 0.1, 0.2, 0.3, 0.4: mean 0.25, deviation 0.12910,
// t = 0.25/(0.12910/2) = 3.87298 with 3 degrees of freedom, p = 0.030466.
func TestPairedBySeed(t *testing.T) {
	for name, c := range map[string]struct {
		a, b []float64
		want Difference
	}{
		"by hand":   {[]float64{0.5, 0.7, 0.9, 0.8}, []float64{0.4, 0.5, 0.6, 0.4}, Difference{0.25, Interval{0.25 - 3.1824*0.0645497, 0.25 + 3.1824*0.0645497}, 0.030466}},
		"one seed":  {[]float64{0.5}, []float64{0.4}, Difference{0.1, Interval{math.Inf(-1), math.Inf(1)}, 1}},
		"all equal": {[]float64{0.5, 0.6}, []float64{0.4, 0.5}, Difference{0.1, Interval{0.1, 0.1}, 0}},
		"the same":  {[]float64{0.5, 0.6}, []float64{0.5, 0.6}, Difference{0, Interval{}, 1}},
	} {
		got := PairedBySeed(c.a, c.b)
		for i, pair := range [][2]float64{{got.Mean, c.want.Mean}, {got.Interval.Low, c.want.Interval.Low}, {got.Interval.High, c.want.Interval.High}, {got.P, c.want.P}} {
			if pair[0] != pair[1] && math.Abs(pair[0]-pair[1]) > 1e-5 {
				t.Errorf("%s: number %d is %v, want %v", name, i, pair[0], pair[1])
			}
		}
	}
}
