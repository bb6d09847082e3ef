package train_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/train"
	"parley/train/lessons"
)

// runTwice runs a recipe at once and with an interruption after its first update, and compares what they leave.
func runTwice(t *testing.T, recipe string, sets ...string) (dir string) {
	t.Helper()
	whole, broken := quick(t, recipe, sets...), quick(t, recipe, sets...)
	if _, err := train.Run(context.Background(), whole); err != nil {
		t.Fatal(err)
	}
	ctx := stopAfter(&broken, train.Updated, 1)
	if _, err := train.Run(ctx, broken); err == nil {
		t.Fatal("was not interrupted")
	}
	broken.Recipe, broken.Resume, broken.Observe, broken.Language = nil, true, nil, whole.Recipe.Language()
	if _, err := train.Run(context.Background(), broken); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"metrics.jsonl", "texts.json", "adapters/policy-turn1/adapter_model.safetensors"} {
		if !bytes.Equal(runFile(t, whole.Dir, name), runFile(t, broken.Dir, name)) {
			t.Errorf("%s of the resumed run differs", name)
		}
	}
	return whole.Dir
}

func systems(t *testing.T, dir string) (out []lessons.System) {
	t.Helper()
	if err := json.Unmarshal(runFile(t, dir, "texts.json"), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// What teachers said about another corpus is refused.
func TestAnotherCorpusIsRefused(t *testing.T) {
	one, other := quick(t, "fuse-tiny", "task.train=8", "training.updates=1"), quick(t, "fuse-tiny", "task.train=8", "training.updates=1", "task.max_number=20")
	for _, o := range []train.Options{one, other} {
		if _, err := train.Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
	}
	const file = "teachers/01-parley-base.json"
	for _, name := range []string{file, "teachers/00-start.json"} {
		if err := os.WriteFile(filepath.Join(one.Dir, name), runFile(t, other.Dir, name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	resumed := one
	resumed.Recipe, resumed.Resume, resumed.Language, resumed.Further = nil, true, one.Recipe.Language(), 1
	_, err := train.Run(context.Background(), resumed)
	if err == nil || !strings.Contains(err.Error(), "another corpus") {
		t.Errorf("error %v", err)
	}
}
