package eval

import (
	"math"
	"testing"
)

// TestStudent holds an interval by hand, and quantiles of a table beyond ours.
func TestStudent(t *testing.T) {
	centre, ci := Student([]float64{1, 2, 3})
	if half := 4.3027 / math.Sqrt(3); centre != 2 || math.Abs(ci.Low-(2-half)) > 1e-9 || math.Abs(ci.High-(2+half)) > 1e-9 {
		t.Errorf("1, 2, 3: %v %v", centre, ci)
	}
	if centre, ci := Student([]float64{5}); centre != 5 || ci.Low != 5 || ci.High != 5 {
		t.Errorf("one value: %v %v", centre, ci)
	}
	for freedom, want := range map[int]float64{11: 2.2010, 20: 2.0860, 60: 2.0003, 1000: 1.9623} {
		if got := student975(freedom); math.Abs(got-want) > 5e-4 {
			t.Errorf("%d degrees of freedom: %v, want %v", freedom, got, want)
		}
	}
}
