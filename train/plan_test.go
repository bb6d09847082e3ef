package train

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"parley/engine"
	"parley/recipe"
	"parley/rollout"
	"parley/task"
	"parley/train/measure"
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
		s := sharing{recipe.Policies{Sharing: c.mode, FirstTrainedTurn: c.first}, []int{0, 0}}
		if got := names(s.all(3, false)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s from turn %d: policies %v, want %v", c.mode, c.first, got, c.want)
		}
		if got := s.policy(1, 1); got != c.at {
			t.Errorf("%s from turn %d: turn 2, agent 2 speaks with %q, want %q", c.mode, c.first, got, c.at)
		}
		if got := len(s.all(3, true)); got != 2*len(c.want) {
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
		s := sharing{recipe.Policies{Sharing: mode, FirstTrainedTurn: 1}, []int{0, 1, 0}}
		if got := names(s.all(2, false)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: policies %v, want %v", mode, got, want)
		}
		s.Frozen = []int{2}
		for _, p := range s.all(2, true) {
			if p.agent == 1 {
				t.Errorf("%s: frozen agent 2 has the trained policy %s", mode, p.policy)
			}
		}
		if p := s.policy(1, 1); p != engine.Base {
			t.Errorf("%s: frozen agent 2 speaks with %q", mode, p)
		}
	}
}

func names(all []trainee) []engine.Policy {
	var out []engine.Policy
	for _, t := range all {
		out = append(out, t.policy)
	}
	return out
}

// TestOrder: every epoch deals every problem once, in another order, the same for the same seed.
func TestOrder(t *testing.T) {
	problems := make([]task.Problem, 10)
	for i := range problems {
		problems[i].ID = string(rune('a' + i))
	}
	o := &order{problems: problems, perUpdate: 4, seed: 3}
	var dealt []string
	for u := range 5 {
		for _, p := range o.batch(u) {
			dealt = append(dealt, p.ID)
		}
	}
	for epoch := range 2 {
		seen := map[string]bool{}
		for _, id := range dealt[epoch*10 : epoch*10+10] {
			seen[id] = true
		}
		if len(seen) != 10 {
			t.Errorf("epoch %d deals %v", epoch, dealt[epoch*10:epoch*10+10])
		}
	}
	if reflect.DeepEqual(dealt[:10], dealt[10:]) {
		t.Error("two epochs have one order")
	}
	again := &order{problems: problems, perUpdate: 4, seed: 3}
	if got := again.batch(3); got[0].ID != dealt[12] {
		t.Error("a batch depends on the batches before")
	}
}

// TestReturnsThroughEpisodes: the tree of an episode is walked as in MAGRPO §2.1, step 7, with early termination.
func TestReturnsThroughEpisodes(t *testing.T) {
	joint := [][]int{{0, 0}, {1, 1}}
	e := &rollout.Episode{Nodes: []*rollout.Node{
		{Turn: 0, Parent: -1, ParentAction: -1, Joint: joint, Rewards: []float64{1, 2}},
		{Turn: 1, Parent: 0, ParentAction: 0, Joint: joint, Rewards: []float64{4, 0}},
		{Turn: 1, Parent: 0, ParentAction: 1, Joint: joint, Rewards: []float64{3, 5}, Ended: true},
		{Turn: 2, Parent: 1, ParentAction: 0, Joint: joint, Rewards: []float64{1, 1}},
		{Turn: 2, Parent: 1, ParentAction: 1, Joint: joint, Rewards: []float64{0, 2}},
	}}
	got, err := returnsOf(e, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]float64{{1 + 0.5*(4.5+0.5)/2, 2 + 0.5*4}, {4.5, 0.5}, {3, 5}, {1, 1}, {0, 2}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("returns %v, want %v", got, want)
	}
	var turns []int
	for _, i := range depthFirst(e) {
		n := e.Nodes[i]
		turns = append(turns, n.Turn)
	}
	if !reflect.DeepEqual(turns, []int{0, 1, 2, 2, 1}) {
		t.Errorf("depth first visits turns %v", turns)
	}
}

func TestMinibatchesDealEverything(t *testing.T) {
	answers := make([]*answer, 10)
	for i := range answers {
		answers[i] = &answer{turn: i}
	}
	for _, n := range []int{1, 3, 4, 10, 15} {
		parts := minibatches(answers, []int{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, n)
		seen, least, most := 0, 10, 0
		for _, p := range parts {
			seen += len(p)
			least, most = min(least, len(p)), max(most, len(p))
		}
		if len(parts) != min(n, 10) || seen != 10 || most-least > 1 {
			t.Errorf("%d minibatches: %d parts of %d to %d, %d answers in all", n, len(parts), least, most, seen)
		}
	}
}

func TestAffordable(t *testing.T) {
	for _, c := range []struct {
		budget, each float64
		want         int
	}{{100, 25, 4}, {100, 30, 3}, {100, 40, 3}, {10, 100, 1}, {10, 0, 10}} {
		if got := measure.Affordable(c.budget, c.each); got != c.want {
			t.Errorf("%g tokens at %g each buy %d answers, want %d", c.budget, c.each, got, c.want)
		}
	}
}

// TestMemoryIsRefusedBeforeAnythingStarts: a recipe above its limit says what it needs and leaves no folder.
func TestMemoryIsRefusedBeforeAnythingStarts(t *testing.T) {
	r, err := recipe.Load("debate-sums", []string{"memory=10MiB"})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	_, err = Run(context.Background(), Options{Recipe: r, Dir: dir, MaxUpdates: -1})
	var user *UserError
	if !errors.As(err, &user) || !strings.Contains(err.Error(), "more than the 10 MiB that memory allows") {
		t.Errorf("a recipe that needs more than 10 MiB is started: %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a refused run leaves a folder: %v", err)
	}
}
