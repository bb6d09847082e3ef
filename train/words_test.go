package train_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"parley/engine/native"
	"parley/recipe/language"
	"parley/train"
	"parley/train/plan"
)

// TestWordsAsWorkflows: a recipe whose team is printed as a workflow gives the same episodes and the same metrics, byte for byte.
func TestWordsAsWorkflows(t *testing.T) {
	l := language.New()
	few := []string{"training.updates=2", "training.problems=3", "eval.problems=2", "eval.baselines=[]", "engine.threads=1"}
	for _, c := range []struct {
		recipe string
		sets   []string
	}{
		{"debate-sums", nil},
		{"magrpo-tiny", nil},
		{"magrpo-tiny", []string{"team.protocol=leader", "team.turns=4", "group.size=2"}},
		{"magrpo-tiny", []string{"team.protocol=pipeline", "team.turns=2", "group.size=2"}},
		{"magrpo-tiny", []string{"team.protocol=central", "policies.sharing=shared", "group.size=2", "sampling.max_tokens=24", "team.prompts.roles=[Be short., Be long.]"}},
		{"magrpo-strbuild-tiny", nil},
		{"single-tiny", nil},
	} {
		word, err := l.Load(c.recipe, append(few, c.sets...))
		if err != nil {
			t.Fatal(err)
		}
		spec, ok, err := plan.Workflow(word)
		if err != nil || !ok {
			t.Fatalf("%s: %v, %v", c.recipe, ok, err)
		}
		steps, err := l.Parse("steps.yaml", word.AsWorkflow(spec).YAML(), nil)
		if err != nil {
			t.Errorf("%s %v as a workflow: %v", c.recipe, c.sets, err)
			continue
		}
		a, b := filepath.Join(t.TempDir(), "word"), filepath.Join(t.TempDir(), "steps")
		if _, err := train.Run(t.Context(), train.Options{Backend: native.Backend{}, Recipe: word, Dir: a, MaxUpdates: -1}); err != nil {
			t.Fatal(err)
		}
		if _, err := train.Run(t.Context(), train.Options{Backend: native.Backend{}, Recipe: steps, Dir: b, MaxUpdates: -1}); err != nil {
			t.Fatal(err)
		}
		for _, pattern := range []string{"metrics.jsonl", "episodes/*", "adapters/*/*.safetensors"} {
			files, err := filepath.Glob(filepath.Join(a, pattern))
			if err != nil || len(files) == 0 {
				t.Fatalf("%s: no %s: %v", c.recipe, pattern, err)
			}
			for _, file := range files {
				name, err := filepath.Rel(a, file)
				if err != nil {
					t.Fatal(err)
				}
				x, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				y, err := os.ReadFile(filepath.Join(b, name))
				if err != nil || !bytes.Equal(x, y) {
					t.Errorf("%s %v: %s is another file (%v)", c.recipe, c.sets, name, err)
				}
			}
		}
	}
}
