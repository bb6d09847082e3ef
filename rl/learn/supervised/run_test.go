package supervised

import (
	"slices"
	"testing"

	"parley/rl/learn"
	"parley/rl/learn/learntest"
	"parley/rl/rollout"
)

// TestRunPool: with a pool of the run nothing is learned before the last update, and then from the best of all debates as from those of
// one large update. Earlier debates are read back from the run.
func TestRunPool(t *testing.T) {
	const updates, problems = 3, 8
	policies := learn.Policies{Sharing: "per-turn", FirstTrainedTurn: 1}
	settings := Settings{Keep: 0.25, Pool: "run", Epochs: 2, Minibatches: 2}
	m := learntest.NewTeam(t, learntest.Debate(t, 2, 2), policies, learn.CriticsNone)
	m.Untrained = true
	at := *m
	at.Engine = m.Engine.Copy()
	var all []*rollout.Episode
	config := m.Config([]any{settings}, updates, problems)
	recorded := map[int][]*rollout.Episode{}
	config.Recall = func(update int) ([]*rollout.Episode, error) { return recorded[update], nil }
	var kept, steps []int
	for update := range updates {
		l, err := New(config) // a fresh one, as after an interruption
		if err != nil {
			t.Fatal(err)
		}
		episodes := m.Play(t, update, problems)
		stats := learntest.Update(t, l, update, episodes)
		recorded[update+1] = learntest.Reread(t, episodes)
		all = append(all, recorded[update+1]...)
		kept, steps = append(kept, stats.Kept), append(steps, stats.OptimizerSteps)
	}
	if !slices.Equal(kept, []int{0, 0, 6}) || !slices.Equal(steps, []int{0, 0, 2 * 2 * 2}) {
		t.Errorf("kept %v debates in %v steps, want 6 in 8 at the end", kept, steps)
	}
	settings.Pool = "update"
	once, err := New(at.Config([]any{settings}, 1, updates*problems))
	if err != nil {
		t.Fatal(err)
	}
	if err := once.Update(t.Context(), learn.Recorded(0, all)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(at.Engine.Calls, m.Engine.Calls) {
		t.Error("learned from all at once, the engine is asked for something else than by the run")
	}
}
