package ppo

import (
	"reflect"
	"testing"

	"parley/engine"
	"parley/rl/learn"
	"parley/rl/learn/learntest"
)

// TestAlternatingTurns: one turn learns in an update, turn 2 in the first ones, then the turns from the last one to turn 2 in blocks (MAPoRL §6).
func TestAlternatingTurns(t *testing.T) {
	m := learntest.NewTeam(t, learntest.Debate(t, 2, 3), learn.Policies{Sharing: "per-turn", FirstTrainedTurn: 2}, learn.CriticsOwn)
	settings := Settings{Epochs: 1, Minibatches: 1, Loss: "ppo", Clip: 0.2, RatioBound: 3, KLForm: "sampled", Terminal: "last", Schedule: "alternating", ScheduleInitial: 1, ScheduleBlock: 2}
	l, err := newLearner(m.Config([]any{settings}, 7, 2))
	if err != nil {
		t.Fatal(err)
	}
	var learned []engine.Policy
	for update := range 7 {
		before := len(m.Engine.Steps())
		episodes := m.Play(t, update, 2)
		learntest.Update(t, l, update, episodes)
		steps := m.Engine.Steps()[before:]
		if len(steps) != 2 {
			t.Fatalf("update %d: steps of %v, want a policy and its critic", update, steps)
		}
		learned = append(learned, steps[0])
	}
	const two, three = "policy-turn2", "policy-turn3"
	if want := []engine.Policy{two, three, three, two, two, three, three}; !reflect.DeepEqual(learned, want) {
		t.Errorf("turns learn in the order %v, want %v", learned, want)
	}
}
