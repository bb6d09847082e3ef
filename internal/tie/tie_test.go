package tie_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/internal/tie"
)

// TestRounding: sums that ought to be equal are, at every scale of the range.
func TestRounding(t *testing.T) {
	a, b := 0.1, 0.3
	a += 0.2
	for _, scale := range []float64{1e-12, 1e-3, 1, 10, 1e9} {
		x, y := a*scale, b*scale
		if x == y && scale == 1 {
			t.Fatal("the sums are equal: the test tells nothing")
		}
		if !tie.Equal(x, y, scale) || tie.Above(x, y, scale) || tie.Best([]float64{y, x}, scale) != 0 || !tie.All([]float64{x, y, x}, scale) {
			t.Errorf("scale %g: %v and %v are two", scale, x, y)
		}
		if z := y + 1e-6*scale; tie.Equal(z, y, scale) || !tie.Above(z, y, scale) || tie.Above(y, z, scale) || tie.Best([]float64{x, y, z}, scale) != 2 {
			t.Errorf("scale %g: %v and %v are one", scale, y, z)
		}
	}
	for _, width := range []float64{0, math.Inf(1), math.NaN()} {
		if !tie.Equal(a*1e6, b*1e6, width) || tie.Equal(1, 1.001, width) {
			t.Errorf("width %g is not replaced by that of the numbers", width)
		}
	}
}

// TestClip: twenty parts of 0.05 are the whole reward.
func TestClip(t *testing.T) {
	sum := 0.0
	for range 20 {
		sum += 0.05
	}
	for _, c := range []struct {
		x, want float64
		ok      bool
	}{
		{sum, 1, true},
		{-1e-12, 0, true},
		{0.5, 0.5, true},
		{1, 1, true},
		{1.00001, 0, false},
		{-1e-6, 0, false},
		{math.NaN(), 0, false},
		{math.Inf(1), 0, false},
		{math.Inf(-1), 0, false},
	} {
		if got, ok := tie.Clip(c.x, 0, 1); ok != c.ok || ok && got != c.want {
			t.Errorf("%v: %v, %v, want %v, %v", c.x, got, ok, c.want, c.ok)
		}
	}
	if sum <= 1 {
		t.Error("the sum is in range: the test tells nothing")
	}
}

// TestLevels: levels are values that were there, and move by no more than rounding a neighbour; values that differ keep their order, those
// that are one are equal; the order of the values does not matter.
func TestLevels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOfN(rapid.IntRange(-5, 5), 1, 12).Draw(t, "steps")
		values := make([]float64, len(steps))
		for i, s := range steps {
			values[i] = float64(s)/10 + float64(rapid.IntRange(-3, 3).Draw(t, "noise"))*1e-16
		}
		levels := tie.Levels(values, 1)
		for i := range levels {
			for j := range levels {
				if (steps[i] == steps[j]) != (levels[i] == levels[j]) || (steps[i] < steps[j]) != (levels[i] < levels[j]) {
					t.Fatalf("steps %v have levels %v", steps, levels)
				}
			}
			if !slices.Contains(values, levels[i]) {
				t.Fatalf("level %v is none of %v", levels[i], values)
			}
		}
		reversed := slices.Clone(values)
		slices.Reverse(reversed)
		again := tie.Levels(reversed, 1)
		if slices.Reverse(again); !slices.Equal(again, levels) {
			t.Fatalf("levels %v, of the reversed values %v", levels, again)
		}
	})
}

// TestInfinities: an impossible value is worse than every other one, whatever the range.
func TestInfinities(t *testing.T) {
	never := math.Inf(-1)
	for _, width := range []float64{0, 1, math.Inf(1)} {
		if tie.Equal(never, 0, width) || tie.Equal(never, -never, width) || !tie.Equal(never, never, width) {
			t.Errorf("width %v: infinities are equal to other numbers, or not to themselves", width)
		}
		if best := tie.Best([]float64{never, .5, never}, width); best != 1 {
			t.Errorf("width %v: the best is %d", width, best)
		}
	}
}
