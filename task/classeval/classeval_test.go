package classeval

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestScoreRange(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	rapid.Check(t, func(t *rapid.T) {
		var agents []Contribution
		for range rapid.IntRange(0, 3).Draw(t, "agents") {
			methods := rapid.SliceOf(rapid.SampledFrom(names)).Draw(t, "methods")
			agents = append(agents, Contribution{Methods: methods, Valid: methods[:rapid.IntRange(0, len(methods)).Draw(t, "valid")]})
		}
		run := rapid.IntRange(0, 5).Draw(t, "run")
		reward, _, err := Score(len(names), agents, rapid.Bool().Draw(t, "compiles"), rapid.IntRange(0, run).Draw(t, "passed"), run)
		if err != nil || reward < -1 || reward > 6 {
			t.Fatalf("reward %v, %v", reward, err)
		}
	})
}

// A method that one agent wrote twice is not one that two agents wrote.
func TestOwnRepetitionIsNoDuplicate(t *testing.T) {
	_, l, err := Score(2, []Contribution{{Methods: []string{"a", "a"}}, {Methods: []string{"b"}}}, true, 0, 0)
	if err != nil || l.Lv3 != 0 {
		t.Errorf("levels %+v, %v", l, err)
	}
}

// The parabola of the October generation goes through its three points, and meets the other branch at V.
func TestAmount(t *testing.T) {
	for v := 1.0; v <= 12; v++ {
		for s, want := range map[float64]float64{0: -1, v: 2, 2*v + 1: -1, 2*v + 2: -2} {
			if got := amount(v, s); math.Abs(got-want) > 1e-9 {
				t.Errorf("V=%v S=%v: %v, want %v", v, s, got, want)
			}
		}
	}
}

func TestBalance(t *testing.T) {
	for _, c := range []struct {
		v     float64
		picks []int
		want  float64
	}{
		{4, []int{2, 2}, 3}, {4, []int{4, 0}, -0.5}, {3, []int{3}, 3}, {3, []int{2}, -0.5}, {6, []int{2, 2, 2}, 3},
	} {
		if got := balance(c.v, c.picks); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("V=%v %v: %v, want %v", c.v, c.picks, got, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	if _, _, err := Score(0, nil, true, 0, 0); err == nil {
		t.Error("a class without methods is scored")
	}
	if _, _, _, err := ScoreOctober2025(0, []int{1}, 0); err == nil {
		t.Error("a class without methods is scored")
	}
	if _, _, _, err := ScoreOctober2025(3, nil, 0); err == nil {
		t.Error("a class without agents is scored")
	}
}

// The gates of the October generation are checked in their order, before any level.
func TestOctoberGates(t *testing.T) {
	for _, c := range []struct {
		name             string
		methods, covered int
		picks            []int
		reward           float64
		gate             Gate
	}{
		{"all well", 4, 4, []int{2, 2}, 7, GateNone},
		{"nothing picked comes first", 4, 0, []int{9, 9, 0}, -2, GateEmptyAgent},
		{"coverage before amount", 4, 1, []int{9, 9}, -1, GateCoverage},
		{"35 % is enough", 20, 7, []int{4, 3}, 0 + amount(20, 7) + balance(20, []int{4, 3}), GateNone},
		{"2V+2 picks are allowed", 4, 4, []int{5, 5}, 2 + amount(4, 10) + balance(4, []int{5, 5}), GateNone},
		{"one more is not", 4, 4, []int{6, 5}, -1, GateTooMany},
	} {
		reward, _, gate, err := ScoreOctober2025(c.methods, c.picks, c.covered)
		if err != nil || math.Abs(reward-c.reward) > 1e-9 || gate != c.gate {
			t.Errorf("%s: %v, gate %q, %v; want %v, gate %q", c.name, reward, gate, err, c.reward, c.gate)
		}
	}
}
