package supervised

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/rl/rollout"
	"parley/task"
	"parley/task/answer"
)

// answered is a debate of one agent and one turn.
func answered(name string, score float64, right, flagged, failed bool) *rollout.Episode {
	c := rollout.Completion{Answer: "no", HasAnswer: true, Score: score}
	if right {
		c.Answer = "yes"
	}
	if flagged {
		c.Flags = []string{"short"}
	}
	n := &rollout.Node{Agents: []rollout.AgentTurn{{Completions: []rollout.Completion{c}}}, Joint: [][]int{{0}}}
	if failed {
		n.Failed = "no score"
	}
	return &rollout.Episode{Problem: task.Problem{ID: name, Truth: "yes"}, Nodes: []*rollout.Node{n}}
}

// TestPoolOfRounding: of two debates whose scores differ by rounding the earlier one is kept.
func TestPoolOfRounding(t *testing.T) {
	a := 0.1
	a += 0.2
	p := &pool{share: 0.5, most: 2, invalid: answer.InvalidVotes}
	p.show([]*rollout.Episode{answered("first", 0.3, true, false, false), answered("second", a, true, false, false)})
	if kept := p.kept(); len(kept) != 1 || kept[0].Problem.ID != "first" {
		t.Errorf("kept %+v", kept[0].Problem)
	}
}

// TestPool: however debates are dealt to a pool, it keeps the share of all that have scores, the best of those that are right and
// unflagged, the earlier of two equal ones.
func TestPool(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		share := rapid.SampledFrom([]float64{0.1, 0.25, 0.5, 1}).Draw(t, "share")
		var all, good []*rollout.Episode
		scored := 0
		for i := range rapid.IntRange(1, 40).Draw(t, "debates") {
			coin := func(name string) bool { return rapid.IntRange(0, 3).Draw(t, name) == 0 }
			wrong, flagged, failed := coin("wrong"), coin("flagged"), coin("failed")
			e := answered(fmt.Sprint(i), float64(rapid.IntRange(0, 3).Draw(t, "score")), !wrong, flagged, failed)
			all = append(all, e)
			if failed {
				continue
			}
			scored++
			if !wrong && !flagged {
				good = append(good, e)
			}
		}
		slices.SortStableFunc(good, func(a, b *rollout.Episode) int { return int(lastScore(b) - lastScore(a)) })
		want := good[:min(len(good), int(math.Ceil(share*float64(scored))))]
		p := &pool{share: share, most: len(all), invalid: answer.InvalidVotes}
		for _, e := range slices.Collect(slices.Chunk(all, rapid.IntRange(1, 40).Draw(t, "chunk"))) {
			p.show(e)
			if most := int(math.Ceil(share * float64(len(all)))); len(p.best) > most {
				t.Fatalf("holds %d debates, at most %d can be kept", len(p.best), most)
			}
		}
		if !slices.Equal(p.kept(), want) {
			t.Fatalf("kept %d debates, want %d", len(p.kept()), len(want))
		}
	})
}
