package train

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/engine"
	"parley/eval"
	"parley/recipe"
	"parley/rollout"
	"parley/runs"
	"parley/task"
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
		p := &pool{share: share, most: len(all), invalid: eval.InvalidVotes}
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

// TestRunPool: with a pool of the run nothing is learned before the last update, and then from the best of all debates as from those of
// one large update, also when the run is interrupted before.
func TestRunPool(t *testing.T) {
	load := func(sets ...string) *recipe.Recipe {
		r, err := recipe.Parse("f", []byte("name: x\npreset: debate-sums\nalgorithm: sft\nsft: {keep: 0.25, epochs: 2, minibatches: 2}\neval: {problems: 2, baselines: []}\n"), sets)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := load("sft.pool=run", "training.updates=3", "training.problems=8")
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := Run(context.Background(), Options{Recipe: r, Dir: dir, MaxUpdates: 2}); err != nil {
		t.Fatal(err)
	}
	result, err := Run(context.Background(), Options{Dir: dir, Resume: true, MaxUpdates: -1})
	if err != nil {
		t.Fatal(err)
	}
	var kept, steps []int
	err = runs.ReadLines(result.Dir, "metrics.jsonl", func(data []byte) error {
		var m Metrics
		err := json.Unmarshal(data, &m)
		kept, steps = append(kept, m.Kept), append(steps, m.Steps)
		return err
	})
	if want := []int{0, 0, 6}; err != nil || !slices.Equal(kept, want) || steps[0]+steps[1] != 0 || steps[2] != 2*2*2 {
		t.Errorf("kept %v debates, want %v; %v steps; %v", kept, want, steps, err)
	}
	var all []*rollout.Episode
	for update := range 3 {
		all = append(all, recordedEpisodes(t, result.Dir, update+1)...)
	}
	once := relearn(t, load("sft.pool=update", "training.updates=1"), all, func(e engine.Engine) engine.Engine { return &deaf{e} })
	defer once.close()
	trained := loaded(t, r, result.Dir)
	defer trained.close()
	for i, p := range once.policies() {
		if a, b := fingerprint(t, p), fingerprint(t, trained.policies()[i]); a != b {
			t.Errorf("%s: learned from all at once it scores %v, as a run %v", p.name, a, b)
		}
	}
}
