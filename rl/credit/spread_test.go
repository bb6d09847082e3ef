package credit

import (
	"math"
	"testing"
)

// TestSpread: the deviations and divisions of two values that are one apart.
func TestSpread(t *testing.T) {
	for _, c := range []struct {
		spread Spread
		want   float64 // of the greater value
	}{
		{Spread{StdNone, DivideFloor, 1e-6}, 0.5},
		{Spread{StdPopulation, DivideFloor, 1e-6}, 1},
		{Spread{StdPopulation, DivideAdd, 0.5}, 0.5},
		{Spread{StdPopulation, DivideFloor, 2}, 0.25},
		{Spread{StdSample, DivideFloor, 1e-6}, math.Sqrt(0.5)},
	} {
		if got := c.spread.Centred([]float64{3, 4}); math.Abs(got[1]-c.want) > 1e-12 || math.Abs(got[0]+c.want) > 1e-12 {
			t.Errorf("%+v: %v, want ±%v", c.spread, got, c.want)
		}
		if got := c.spread.Centred([]float64{0.3, 0.1 + 0.2}); got[0] != 0 || got[1] != 0 {
			t.Errorf("%+v: rounding gives %v", c.spread, got)
		}
		if err := c.spread.Check(); err != nil {
			t.Error(err)
		}
	}
	for _, s := range []Spread{{Std: "mean", Divide: DivideAdd}, {Std: StdNone, Divide: "plus"}} {
		if s.Check() == nil {
			t.Errorf("no error for %+v", s)
		}
	}
}
