package credit_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"parley/rl/credit"
)

// TestResumed: averages that were written and read between two updates give the same advantages to the bit.
func TestResumed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := credit.RoleBaseline{
			Decay: rapid.Float64Range(0, 0.99).Draw(t, "decay"), Batch: rapid.Bool().Draw(t, "batch"), Corrected: rapid.Bool().Draw(t, "corrected"), Gamma: 1,
		}
		unbroken, resumed := credit.RoleState{}, credit.RoleState{}
		for range rapid.IntRange(1, 4).Draw(t, "updates") {
			var games []credit.Game
			for range rapid.IntRange(0, 4).Draw(t, "games") {
				r := rapid.Float64Range(-3, 3).Draw(t, "reward")
				games = append(games, credit.Game{Name: "kuhn", Roles: []credit.Role{{Name: "p0", Reward: r}, {Name: "p1", Reward: -r}}})
			}
			want, err := rule.Update(unbroken, games)
			if err != nil {
				t.Fatal(err)
			}
			data, err := json.Marshal(resumed)
			if err != nil {
				t.Fatal(err)
			}
			resumed = nil
			if err := json.Unmarshal(data, &resumed); err != nil {
				t.Fatal(err)
			}
			got, err := rule.Update(resumed, games)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("after a resume %v, unbroken %v", got, want)
			}
		}
	})
}

// TestEdge: a role that always earns one more than the other is compared with that in the end, and one baseline for all roles of a zero-sum game
// stays near 0.
func TestEdge(t *testing.T) {
	games := []credit.Game{{Name: "g", Roles: []credit.Role{{Name: "p0", Reward: 1}, {Name: "p1", Reward: -1}}}}
	for global, want := range map[bool][2]float64{false: {0, 0}, true: {1, -1}} {
		rule, state := credit.RoleBaseline{Decay: 0.95, Global: global, Gamma: 1}, credit.RoleState{}
		var last [][]float64
		for range 400 {
			var err error
			if last, err = rule.Update(state, games); err != nil {
				t.Fatal(err)
			}
		}
		for i, w := range want {
			if d := last[0][i] - w; d > 0.06 || d < -0.06 {
				t.Errorf("global %v: advantages %v, want about %v", global, last[0], want)
			}
		}
	}
	if _, err := (credit.RoleBaseline{Decay: 1}).Update(nil, nil); err == nil {
		t.Error("no error for a decay of 1")
	}
	if _, err := (credit.RoleBaseline{Gamma: 2}).Update(nil, nil); err == nil {
		t.Error("no error for a discount of 2")
	}
}
