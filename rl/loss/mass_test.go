package loss_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/rl/loss"
)

// TestShares: masses and shares of a step add up to 1, and no role is longer than the whole path.
func TestShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var roles []loss.RoleGradient
		for i := range rapid.IntRange(1, 4).Draw(t, "roles") {
			roles = append(roles, loss.RoleGradient{Name: string(rune('a' + i)), Gradient: rapid.SliceOfN(rapid.Float64Range(-1, 1), 3, 3).Draw(t, "gradient")})
		}
		s := loss.MassOf(roles)
		if s.Norm < 1e-3 {
			return // no direction
		}
		masses, shares := 0.0, 0.0
		for _, p := range s.Parts {
			masses, shares = masses+p.Mass, shares+p.Share
		}
		if math.Abs(masses-1) > 1e-9 || math.Abs(shares-1) > 1e-6 || s.Cancel > 1+1e-9 {
			t.Fatalf("masses %v, shares %v, cancel %v", masses, shares, s.Cancel)
		}
	})
}

// TestWarnings: a role that pulls a shared policy against another captures it; policies of their own are expected to differ.
func TestWarnings(t *testing.T) {
	step := loss.MassOf([]loss.RoleGradient{{Name: "a", Gradient: []float64{9, 0}}, {Name: "b", Gradient: []float64{-1, 1}}})
	steps := slices.Repeat([]loss.Mass{step}, 20)
	limits := loss.UsualMass()
	if got := limits.Warnings(steps, true); !slices.Equal(got, []string{"capture:a"}) {
		t.Errorf("shared: %v", got)
	}
	if got := limits.Warnings(steps[1:], true); got != nil {
		t.Errorf("too early: %v", got)
	}
	if got := limits.Warnings(steps, false); got != nil {
		t.Errorf("isolated: %v", got)
	}
	agreed := loss.MassOf([]loss.RoleGradient{{Name: "a", Gradient: []float64{9, 0}}, {Name: "b", Gradient: []float64{1, 0}}, {Name: "c", Gradient: []float64{0.1, 0}}})
	if got := limits.Warnings(slices.Repeat([]loss.Mass{agreed}, 20), true); !slices.Equal(got, []string{"dominance:a", "starved:c"}) {
		t.Errorf("agreed: %v", got)
	}
	spike := loss.MassOf([]loss.RoleGradient{{Name: "a", Gradient: []float64{90, 0}}})
	if got := limits.Warnings(append(slices.Clone(steps[:5]), spike), false); !slices.Equal(got, []string{"spike:a"}) {
		t.Errorf("spike: %v", got)
	}
}

// TestOfLoss: the share of a role is in tokens times what each is multiplied by.
func TestOfLoss(t *testing.T) {
	shares, total := loss.MassOfLoss([]loss.MassMessage{{Role: "a", Tokens: 6, Scale: 0.5, Advantage: -1}, {Role: "b", Tokens: 1, Scale: 0.5, Advantage: 2}})
	if shares["a"] != 0.75 || shares["b"] != 0.25 || total != 4 {
		t.Errorf("%v of %v", shares, total)
	}
}

// TestMean: a role's numbers are means over the steps in which it spoke, and where they are defined.
func TestMean(t *testing.T) {
	both := loss.MassOf([]loss.RoleGradient{{Name: "a", Gradient: []float64{3, 0}}, {Name: "b", Gradient: []float64{0, 1}}})
	alone := loss.MassOf([]loss.RoleGradient{{Name: "a", Gradient: []float64{1, 0}}})
	silent := loss.MassOf([]loss.RoleGradient{{Name: "a", Gradient: []float64{0, 0}}, {Name: "b", Gradient: []float64{0, 0}}})
	got := loss.MeanMass([]loss.Mass{both, alone, silent})
	if a := got.Parts[0]; a.Name != "a" || a.Norm != 4.0/3 || math.Abs(a.Mass-(0.75+1+0)/3) > 1e-15 || math.Abs(a.Share-(0.9+1)/2) > 1e-15 {
		t.Errorf("a is %+v", a)
	}
	if b := got.Parts[1]; b.Name != "b" || b.Norm != 0.5 || b.Mass != 0.125 || math.Abs(b.Share-0.1) > 1e-15 {
		t.Errorf("b is %+v", b)
	}
	if want := (math.Sqrt(10)/4 + 1) / 2; math.Abs(got.Cancel-want) > 1e-15 {
		t.Errorf("cancel is %v, want %v", got.Cancel, want)
	}
}

// TestJSON: a step is the same after it was written and read, undefined numbers too.
func TestJSON(t *testing.T) {
	for _, gradient := range []float64{2, 0} {
		s := loss.MassOf([]loss.RoleGradient{{Name: "a", Gradient: []float64{gradient}}})
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var got loss.Mass
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != fmt.Sprint(s) {
			t.Errorf("%s is read as %v, was %v", text, got, s)
		}
	}
}
