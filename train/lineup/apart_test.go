package lineup_test

import (
	"encoding/json"
	"testing"

	"parley/engine"
	"parley/engine/native"
	"parley/rl/rollout"
	"parley/train/lineup"
	"parley/train/shortrun"
)

// serving makes the embedded engine one that serves many calls at once.
type serving struct{ engine.Engine }

func (serving) Slots() int { return 2 }

// small are changes that make the rollout of an update a matter of moments, on the shipped base.
var small = []string{"training.problems=4", "eval.problems=1", "eval.baselines=[]", "experiment.seeds=[]", "engine.threads=1"}

// Problems that advance by themselves become the same episodes, byte for byte: in a group, a chain, with tools, in a program, and over two bases.
// TestLongApartIsTogether shows so in the team of every shipped recipe over the shipped base.
func TestApartIsTogether(t *testing.T) {
	for _, name := range []string{"magrpo-tiny", "chain-tiny", "tool-sums-tiny", "tournament-tiny", "maporl-e4-tiny"} {
		apartIsTogether(t, name)
	}
}

func apartIsTogether(t *testing.T, name string) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		r := shortrun.Load(t, name, small...)
		if r.AlgorithmType().Unheard() {
			return // no team speaks in its updates
		}
		l, err := lineup.Open(t.Context(), r, native.Backend{})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if err := l.AddPolicies(t.Context()); err != nil {
			t.Fatal(err)
		}
		together, apart := l.Rollout(), l.Rollout()
		for i, a := range apart.Actors {
			apart.Actors[i].Engine = serving{a.Engine}
		}
		if got, want := episodes(t, l, apart), episodes(t, l, together); got != want {
			t.Errorf("other episodes\n%s\n%s", got, want)
		}
	})
}

// episodes are those of an update, as a run writes them.
func episodes(t *testing.T, l lineup.Lineup, r *rollout.Runner) string {
	t.Helper()
	list, err := r.Run(t.Context(), "train", 1, l.Training.Batch(0))
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
