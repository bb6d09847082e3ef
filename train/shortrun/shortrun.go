// Package shortrun trains shipped recipes for tests: [Load] takes one with changes, of which [Small] make it a matter of seconds, and
// [Run] runs it in a folder of the test.
package shortrun

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"

	"parley/engine/native"
	"parley/internal/plotio"
	"parley/recipe"
	"parley/recipe/language"
	"parley/runs"
	"parley/train"
)

func init() { plotio.DPI = 24 } // what runs this short draw would take most of their time

// Load returns a shipped recipe with changes.
func Load(t testing.TB, name string, sets ...string) *recipe.Recipe {
	t.Helper()
	r, err := language.New().Load(name, sets)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Small are changes that make a shipped recipe a matter of seconds.
var Small = []string{"eval.problems=4", "eval.examples=1", "eval.baselines=[]"}

// Run trains a recipe in a folder of the test and returns its metrics.
func Run(t testing.TB, r *recipe.Recipe) (*train.Result, []train.Metrics) {
	t.Helper()
	result, err := train.Run(context.Background(), train.Options{Backend: native.Backend{}, Recipe: r, Dir: filepath.Join(t.TempDir(), "run"), MaxUpdates: -1, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return result, Metrics(t, result.Dir)
}

// Metrics reads the metrics of all updates of a run.
func Metrics(t testing.TB, dir string) []train.Metrics {
	t.Helper()
	var out []train.Metrics
	err := runs.ReadLines(dir, "metrics.jsonl", func(line []byte) error {
		var m train.Metrics
		if err := json.Unmarshal(line, &m); err != nil {
			return err
		}
		out = append(out, m)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Reward is the mean reward over agents in some updates.
func Reward(updates []train.Metrics) float64 {
	sum, n := 0.0, 0.0
	for _, m := range updates {
		for _, r := range m.Reward {
			sum += r
			n++
		}
	}
	return sum / n
}
