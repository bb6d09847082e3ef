package train

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"parley/engine"
	"parley/engine/native"
	"parley/recipe"
	"parley/rollout"
	"parley/runs"
)

// TestRunPool: with a pool of the run nothing is learned before the last update, and then from the best of all debates as from those of
// one large update, also when the run is interrupted before.
func TestRunPool(t *testing.T) {
	load := func(sets ...string) *recipe.Recipe {
		r, err := lang.Parse("f", []byte("name: x\npreset: debate-sums\nalgorithm: sft\nsft: {keep: 0.25, epochs: 2, minibatches: 2}\neval: {problems: 2, baselines: []}\n"), sets)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := load("sft.pool=run", "training.updates=3", "training.problems=8")
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := Run(context.Background(), Options{Backend: native.Backend{}, Recipe: r, Dir: dir, MaxUpdates: 2}); err != nil {
		t.Fatal(err)
	}
	result, err := Run(context.Background(), Options{Backend: native.Backend{}, Language: lang, Dir: dir, Resume: true, MaxUpdates: -1})
	if err != nil {
		t.Fatal(err)
	}
	var kept, steps []int
	err = runs.ReadLines(result.Dir, "metrics.jsonl", func(data []byte) error {
		var m Metrics
		err := json.Unmarshal(data, &m)
		kept, steps = append(kept, m.Kept), append(steps, m.OptimizerSteps)
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
	defer once.Close()
	trained := loaded(t, r, result.Dir)
	defer trained.Close()
	for _, p := range once.Policies() {
		if a, b := fingerprint(t, once, p), fingerprint(t, trained, p); a != b {
			t.Errorf("%s: learned from all at once it scores %v, as a run %v", p.Name, a, b)
		}
	}
}
