package credit

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

var modes = []AdvantageMode{ModeMean, ModeRaw, ModeMax, ModeRLOO}

// drawGroup draws credits whose spread is either zero or far above the floor of normalisation.
func drawGroup(t *rapid.T) []float64 {
	steps := rapid.SliceOfN(rapid.IntRange(-40, 40), 2, 8).Draw(t, "credits")
	group := make([]float64, len(steps))
	for i, s := range steps {
		group[i] = float64(s) / 10
	}
	return group
}

func advantages(t rapid.TB, group []float64, mode AdvantageMode, normalize bool) []float64 {
	t.Helper()
	adv, err := Advantages(group, mode, normalize)
	if err != nil {
		t.Fatal(err)
	}
	return adv
}

func closeTo(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 1e-9*math.Max(1, math.Abs(y)) })
}

// The letters are those of MAGRPO §2.3.
func TestAdvantageProperties(t *testing.T) {
	t.Run("a normalised modes agree", rapid.MakeCheck(func(t *rapid.T) {
		group := drawGroup(t)
		want := advantages(t, group, ModeMean, true)
		for _, m := range modes {
			if got := advantages(t, group, m, true); !closeTo(got, want) {
				t.Fatalf("%s %v, mean %v", m, got, want)
			}
		}
	}))
	t.Run("b rloo is mean times G over G-1", rapid.MakeCheck(func(t *rapid.T) {
		group := drawGroup(t)
		g := float64(len(group))
		scaled := advantages(t, group, ModeMean, false)
		for i := range scaled {
			scaled[i] *= g / (g - 1)
		}
		if got := advantages(t, group, ModeRLOO, false); !closeTo(got, scaled) {
			t.Fatalf("rloo %v, want %v", got, scaled)
		}
	}))
	t.Run("c mean and rloo sum to zero and ignore a shift", rapid.MakeCheck(func(t *rapid.T) {
		group := drawGroup(t)
		shift := rapid.Float64Range(-100, 100).Draw(t, "shift")
		shifted := slices.Clone(group)
		for i := range shifted {
			shifted[i] += shift
		}
		for _, m := range []AdvantageMode{ModeMean, ModeRLOO} {
			adv := advantages(t, group, m, false)
			if s := average(adv); math.Abs(s) > 1e-12 {
				t.Fatalf("%s has mean %v", m, s)
			}
			if got := advantages(t, shifted, m, false); !closeTo(got, adv) {
				t.Fatalf("%s after a shift: %v, before: %v", m, got, adv)
			}
		}
	}))
	t.Run("d max is never positive", rapid.MakeCheck(func(t *rapid.T) {
		if m := slices.Max(advantages(t, drawGroup(t), ModeMax, false)); m != 0 {
			t.Fatalf("largest is %v", m)
		}
	}))
	t.Run("e equal credits give zero", rapid.MakeCheck(func(t *rapid.T) {
		group := slices.Repeat([]float64{float64(rapid.IntRange(-40, 40).Draw(t, "credit")) / 8}, rapid.IntRange(2, 8).Draw(t, "G"))
		zero := make([]float64, len(group))
		for _, m := range modes {
			for _, normalize := range []bool{false, true} {
				want := zero
				if m == ModeRaw && !normalize {
					want = group
				}
				if got := advantages(t, group, m, normalize); !closeTo(got, want) {
					t.Fatalf("%s normalize %v: %v", m, normalize, got)
				}
			}
		}
	}))
	t.Run("f permuting the group permutes the result", rapid.MakeCheck(func(t *rapid.T) {
		group := drawGroup(t)
		order := rapid.Permutation(indices(len(group))).Draw(t, "order")
		for _, m := range modes {
			want := pick(advantages(t, group, m, true), order)
			if got := advantages(t, pick(group, order), m, true); !closeTo(got, want) {
				t.Fatalf("%s: %v, want %v", m, got, want)
			}
		}
	}))
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func pick(x []float64, order []int) []float64 {
	y := make([]float64, len(order))
	for i, o := range order {
		y[i] = x[o]
	}
	return y
}

func TestAdvantageErrors(t *testing.T) {
	for _, c := range []struct {
		group []float64
		mode  AdvantageMode
	}{{[]float64{1, 2}, "median"}, {nil, ModeMean}, {[]float64{1}, ModeRLOO}} {
		if _, err := Advantages(c.group, c.mode, false); err == nil {
			t.Errorf("no error for mode %q and group %v", c.mode, c.group)
		}
	}
}
