package learn

import (
	"reflect"
	"testing"

	"parley/engine"
)

// TestSharing checks who speaks with which policy (MAPoRL §6).
func TestSharing(t *testing.T) {
	for _, c := range []struct {
		mode  string
		first int
		want  []engine.Policy
		at    engine.Policy // of turn 2, agent 2
	}{
		{"shared", 1, []engine.Policy{"policy"}, "policy"},
		{"per-turn", 1, []engine.Policy{"policy-turn1", "policy-turn2", "policy-turn3"}, "policy-turn2"},
		{"per-turn", 2, []engine.Policy{"policy-turn2", "policy-turn3"}, "policy-turn2"},
		{"per-agent", 1, []engine.Policy{"policy-agent1", "policy-agent2"}, "policy-agent2"},
		{"per-agent-turn", 3, []engine.Policy{"policy-turn3-agent1", "policy-turn3-agent2"}, engine.Base},
		{"first-and-later", 1, []engine.Policy{"policy-first", "policy-later"}, "policy-later"},
	} {
		s := Sharing{Policies: Policies{Sharing: c.mode, FirstTrainedTurn: c.first}, Bases: []int{0, 0}}
		if got := names(s.Trained(3, false)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s from turn %d: policies %v, want %v", c.mode, c.first, got, c.want)
		}
		if got := s.Policy(1, 1); got != c.at {
			t.Errorf("%s from turn %d: turn 2, agent 2 speaks with %q, want %q", c.mode, c.first, got, c.at)
		}
		if got := len(s.Trained(3, true)); got != 2*len(c.want) {
			t.Errorf("%s: %d policies with critics, want %d", c.mode, got, 2*len(c.want))
		}
	}
}

// TestSharingOverBases: agents of different bases share nothing (MAPoRL §6), whatever the mode.
func TestSharingOverBases(t *testing.T) {
	for mode, want := range map[string][]engine.Policy{
		"shared":          {"policy-base1", "policy-base2"},
		"per-turn":        {"policy-turn1-base1", "policy-turn1-base2", "policy-turn2-base1", "policy-turn2-base2"},
		"per-agent":       {"policy-agent1", "policy-agent2", "policy-agent3"},
		"first-and-later": {"policy-first-base1", "policy-first-base2", "policy-later-base1", "policy-later-base2"},
	} {
		s := Sharing{Policies: Policies{Sharing: mode, FirstTrainedTurn: 1}, Bases: []int{0, 1, 0}}
		if got := names(s.Trained(2, false)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: policies %v, want %v", mode, got, want)
		}
		s.Frozen = []int{2}
		for _, p := range s.Trained(2, true) {
			if p.Agent == 1 {
				t.Errorf("%s: frozen agent 2 has the trained policy %s", mode, p.Policy)
			}
		}
		if p := s.Policy(1, 1); p != engine.Base {
			t.Errorf("%s: frozen agent 2 speaks with %q", mode, p)
		}
	}
}

func names(all []Trainee) []engine.Policy {
	var out []engine.Policy
	for _, t := range all {
		out = append(out, t.Policy)
	}
	return out
}
