package seed

import (
	"math"
	"math/bits"
	"testing"
)

// TestKnownValues: every run that was ever recorded depends on these numbers. They must not change. A program in Python, by the
// definitions of FNV-1a and SplitMix64, gives the same ones.
func TestKnownValues(t *testing.T) {
	for _, c := range []struct {
		root    uint64
		purpose string
		indices []int
		want    uint64
	}{
		{0, "", nil, 0x5ba314b8cfda3b6b},
		{1, "sample", []int{0}, 0xa595f441c68946cd},
		{1, "sample", []int{3, 1, 4}, 0x95812968eaf1d62b},
		{1, "problems", []int{-1}, 0xb5a064a9ee38556d},
		{math.MaxUint64, "order", []int{math.MaxInt32}, 0xb7f51e0ba640e324},
	} {
		if got := Derive(c.root, c.purpose, c.indices...); got != c.want {
			t.Errorf("Derive(%d, %q, %v) is %#x, want %#x", c.root, c.purpose, c.indices, got, c.want)
		}
	}
	r := Stream(1)
	if a, b, c := r.Uint64(), r.IntN(1000), r.Float64(); a != 0xb8498e67c2d9caad || b != 213 || c != 0.10587073182554696 {
		t.Errorf("the stream of 1 begins with %#x, %d, %v", a, b, c)
	}
}

// TestNoTwoAlike: whatever a stream is for and whichever index it has, its seed is its own.
func TestNoTwoAlike(t *testing.T) {
	type choice struct {
		root    uint64
		purpose string
		indices [3]int
		n       int
	}
	seen := map[uint64]choice{}
	add := func(c choice) {
		s := Derive(c.root, c.purpose, c.indices[:c.n]...)
		if other, twice := seen[s]; twice {
			t.Fatalf("%+v and %+v have one seed", c, other)
		}
		seen[s] = c
	}
	for root := range uint64(4) {
		for _, purpose := range []string{"", "a", "b", "ab", "a\x00", "sample", "samples"} {
			add(choice{root, purpose, [3]int{}, 0})
			for i := -2; i < 40; i++ {
				add(choice{root, purpose, [3]int{i}, 1})
				for j := -2; j < 40; j++ {
					add(choice{root, purpose, [3]int{i, j}, 2})
				}
			}
		}
	}
	for i := range 30 {
		for j := range 30 {
			for k := range 30 {
				add(choice{9, "sample", [3]int{i, j, k}, 3})
			}
		}
	}
}

// TestNeighboursDiffer: between the seeds of neighbouring indices half of the bits differ, every bit about as often as not.
func TestNeighboursDiffer(t *testing.T) {
	const n = 4096
	for name, derive := range map[string]func(i int) uint64{
		"index":        func(i int) uint64 { return Derive(1, "sample", i) },
		"second index": func(i int) uint64 { return Derive(1, "sample", 7, i) },
		"root":         func(i int) uint64 { return Derive(uint64(i), "sample") },
	} {
		var changed [64]int
		total := 0
		for i := range n {
			d := derive(i) ^ derive(i+1)
			total += bits.OnesCount64(d)
			for b := range changed {
				changed[b] += int(d >> b & 1)
			}
		}
		// Deviations of five standard errors: 32·n changes in all, n/2 of each bit.
		if off := math.Abs(float64(total) - 32*n); off > 5*math.Sqrt(16*n) {
			t.Errorf("%s: %.2f bits differ on average, want 32", name, float64(total)/n)
		}
		for b, c := range changed {
			if off := math.Abs(float64(c) - n/2); off > 5*math.Sqrt(n/4) {
				t.Errorf("%s: bit %d differs %d of %d times", name, b, c, n)
			}
		}
	}
}

// TestStreamsAreIndependent: streams of neighbouring indices are uniform, and not correlated with each other, at any lag.
func TestStreamsAreIndependent(t *testing.T) {
	const n, lags = 20000, 4
	draw := func(i int) []float64 {
		r, out := Stream(Derive(1, "sample", i)), make([]float64, n)
		for k := range out {
			out[k] = r.Float64() - 0.5
		}
		return out
	}
	before := draw(0)
	for i := 1; i < 12; i++ {
		now := draw(i)
		for lag := range lags {
			sum := 0.0
			for k := range n - lags {
				sum += before[k] * now[k+lag]
			}
			// The product of two uniform numbers around 0 has the variance 1/144.
			if z := sum / math.Sqrt(float64(n-lags)/144); math.Abs(z) > 5 {
				t.Errorf("streams %d and %d at lag %d: %.1f standard errors from no correlation", i-1, i, lag, z)
			}
		}
		var cells [16]int
		for _, x := range now {
			cells[int((x+0.5)*16)]++
		}
		chi := 0.0
		for _, c := range cells {
			d := float64(c) - n/16
			chi += d * d / (n / 16)
		}
		if chi > 55 { // 15 degrees of freedom; once in 500,000 times
			t.Errorf("stream %d is not uniform: χ² %.1f of %v", i, chi, cells)
		}
		before = now
	}
	// First draws alone: what most streams are used for.
	ones := 0
	for i := range n {
		ones += Stream(Derive(1, "coin", i)).IntN(2)
	}
	if off := math.Abs(float64(ones) - n/2); off > 5*math.Sqrt(n/4) {
		t.Errorf("%d of %d first draws are 1", ones, n)
	}
}
