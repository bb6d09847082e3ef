package train

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"parley/engine/native"
	"parley/runs"
)

// TestRunPool: a run whose only lesson is its last update finds the debates of all updates, also when it is interrupted before.
// TestLongRunPool keeps more of them.
func TestRunPool(t *testing.T) {
	runPool(t, 3, "training.problems=4", "task.train=12", "sampling.max_tokens=48")
}

func runPool(t *testing.T, keeps int, sets ...string) {
	t.Helper()
	r, err := lang.Parse("f", []byte("name: x\npreset: debate-sums\nalgorithm: sft\nsft: {keep: 0.25, epochs: 2, minibatches: 2, pool: run}\neval: {problems: 2, baselines: []}\n"),
		append(sets, "training.updates=3"))
	if err != nil {
		t.Fatal(err)
	}
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
	if want := []int{0, 0, keeps}; err != nil || !slices.Equal(kept, want) || steps[0]+steps[1] != 0 || steps[2] != 2*2*2 {
		t.Errorf("kept %v debates, want %v; %v steps; %v", kept, want, steps, err)
	}
}
