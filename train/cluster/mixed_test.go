package cluster_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/recipe"
	"parley/recipe/language"
	"parley/runs"
	"parley/train"
	"parley/train/cluster"
)

// mixed is the shipped example of a team over two engines, on a server of tests, with a change of its text.
func mixed(t *testing.T, url, from, to string, sets ...string) (*recipe.Recipe, error) {
	t.Helper()
	file := filepath.Join("..", "..", "examples", "cluster", "mixed-team-cluster.yaml")
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), from) {
		t.Fatalf("%s has no %q, %v", file, from, err)
	}
	text = []byte(strings.ReplaceAll(string(text), from, to))
	return language.New().Parse(file, text, append([]string{"engine.tinker.url=" + url, "engine.tinker.model=base", "sampling.max_tokens=12"}, sets...))
}

// TestMixedTeam: an agent of a team trains on a server, one on the embedded engine, and one is frozen; the run goes on after it was left. What the
// server trains is no adapter of this machine, and the other way round.
func TestMixedTeam(t *testing.T) {
	_, url := serve(t)
	r, err := mixed(t, url, "", "", "training.updates=2", "training.problems=2", "eval.problems=2", "eval.examples=0")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	o := train.Options{Recipe: r, Backend: native.Backend{}, Language: r.Language(), Dir: dir, MaxUpdates: 1}
	if _, err := train.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	o.Recipe, o.Resume, o.MaxUpdates = nil, true, -1
	if _, err := train.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	meta, err := runs.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(meta.Bases) != 2 || !strings.HasPrefix(meta.Kernels, "tinker, ") || len(meta.Cluster) == 0 {
		t.Errorf("bases %+v, kernels %q, cluster %s", meta.Bases, meta.Kernels, meta.Cluster)
	}
	for policy, there := range map[string]bool{"policy-there": true, "value-there": true, "policy-here": false, "value-here": false} {
		_, err := os.Stat(filepath.Join(dir, "adapters", policy, "tinker.json"))
		if _, adapter := os.Stat(filepath.Join(dir, "adapters", policy, "adapter_config.json")); adapter != nil || (err == nil) != there {
			t.Errorf("%s on the server: %v, %v", policy, err, adapter)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "adapters", "policy-still")); err == nil {
		t.Error("the frozen agent has an adapter")
	}
}

// TestMixedRefusals: only what agents on the server ask for is refused, and engines of agents mean nothing without a server.
func TestMixedRefusals(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"", "", ""},
		{"there: {}", "there: {sampling: {temperature: 0.5}}", "team.agents.there.sampling.temperature is 0.5"},
		{"sampling: {temperature: 1}", "sampling: {temperature: 1, top_k: 4}", "sampling.top_k is 4"},
		{"here: {engine: embedded,", "here: {engine: embedded, model: parley-games,", ""},
		{"there: {}", "there: {model: parley-games}", "the recipe has 2 bases there, parley-base and parley-games"},
		{"frozen: true", "frozen: true, engine: embedded", ""},
	} {
		r, err := mixed(t, "http://127.0.0.1:1", c.from, c.to)
		if err != nil {
			t.Fatal(err)
		}
		err = cluster.Check(r)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || strings.Count(err.Error(), "\n") != 1) {
			t.Errorf("%s: %v, want %q", c.to, err, c.want)
		}
	}
	for from, want := range map[string]string{"engine: embedded": "team.agents.here.engine has no effect", "there: {}": "team.agents.there.engine is a server"} {
		to := from
		if from == "there: {}" {
			to = "there: {engine: tinker}"
		}
		if _, err := mixed(t, "", from, to); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("without a server: %v, want %q", err, want)
		}
	}
	r, err := mixed(t, "http://127.0.0.1:1", "there: {}", "there: {engine: embedded}")
	if err != nil {
		t.Fatal(err)
	}
	r.Team.Agents.Named[2].Engine = "embedded"
	if err := cluster.Check(r); err == nil || !strings.Contains(err.Error(), "no agent computes on it") {
		t.Errorf("a server that nobody computes on: %v", err)
	}
}
