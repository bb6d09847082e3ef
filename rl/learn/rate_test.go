package learn

import (
	"testing"

	"pgregory.net/rapid"
)

// TestAutomaticRate: the shipped base has the rate of its recipes; larger bases, and adapters whose output is scaled up, have lower ones.
func TestAutomaticRate(t *testing.T) {
	usual := Policies{Rank: 8, Alpha: 16}
	for parameters, want := range map[int]float64{670_000: 1e-3, 135_000_000: 2.9e-4, 1_700_000_000: 1.6e-4, 3_000_000_000: 1.4e-4, 8_000_000_000: 1.1e-4} {
		if got := AutomaticRate(parameters, usual); got != want {
			t.Errorf("%d parameters: %g, want %g", parameters, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		p := Policies{Rank: rapid.IntRange(1, 256).Draw(t, "rank"), Alpha: rapid.Float64Range(0.01, 512).Draw(t, "alpha")}
		n := rapid.IntRange(1, 100_000_000_000).Draw(t, "parameters")
		rate := AutomaticRate(n, p)
		if rate < 1e-6 || rate > 3e-3 || AutomaticRate(10*n, p) > rate || AutomaticRate(n, Policies{Rank: p.Rank, Alpha: 2 * p.Alpha}) > rate {
			t.Fatalf("%d parameters, %+v: %g", n, p, rate)
		}
	})
}

// TestRateOfAlgorithm: pairs are learned from with a tenth of the rate of others.
func TestRateOfAlgorithm(t *testing.T) {
	usual := Policies{Rank: 8, Alpha: 16}
	for factor, want := range map[float64]float64{0: 2.9e-4, 0.1: 2.9e-5, 1e-6: 1e-6} {
		if got := (Algorithm{RateFactor: factor}).Rate(135_000_000, usual); got != want {
			t.Errorf("factor %g: %g, want %g", factor, got, want)
		}
	}
}
