package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/engine"
	"parley/engine/native"
	"parley/engine/tinker/tinkertest"
	"parley/internal/turn"
	"parley/internal/usererror"
	"parley/model"
	"parley/recipe"
	"parley/recipe/language"
	"parley/runs"
	"parley/serve/harness"
	"parley/train"
	"parley/train/cluster"
	"parley/train/record"
)

// base opens the base that ships.
func base(t *testing.T) *native.Engine {
	t.Helper()
	m, err := model.Open("parley-base")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	e, err := native.Open(m.Source, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// serve starts a server over the base that ships, which averages as one of the published ones does.
func serve(t *testing.T) (*tinkertest.Server, string) {
	t.Helper()
	s := tinkertest.New(base(t), "base", t.TempDir())
	s.Mean = true
	l := httptest.NewServer(s)
	t.Cleanup(l.Close)
	return s, l.URL
}

// fits are the changes that make a shipped recipe one that a server runs.
var fits = []string{
	"engine.tinker.model=base", "sampling.temperature=1", "eval.temperature=1", "policies.alpha=32", "optimizer.weight_decay=0",
	"training.updates=2", "training.problems=2", "eval.problems=2", "eval.examples=0", "eval.baselines=[]",
}

func load(t *testing.T, name, url string, sets ...string) *recipe.Recipe {
	t.Helper()
	r, err := language.New().Load(name, append([]string{"engine.tinker.url=" + url}, sets...))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// inProgram is the recipe of a team that works in a program of the user's.
const inProgram = "../../examples/own-harness/recipe.yaml"

// TestTrain: a group, a debate with a critic, and a team in a program train on a server, and go on there after the client is gone.
func TestTrain(t *testing.T) {
	server, url := serve(t)
	for i, name := range []string{"magrpo-tiny", "debate-sums", inProgram} {
		if !turn.Share(i) {
			continue
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			r := load(t, name, url, append(fits, "sampling.max_tokens=12")...)
			dir := filepath.Join(t.TempDir(), "run")
			o := train.Options{Recipe: r, Backend: harness.Backend{Backend: native.Backend{}}, Language: r.Language(), Dir: dir, MaxUpdates: 1}
			if _, err := train.Run(context.Background(), o); err != nil {
				t.Fatal(err)
			}
			kept(t, dir)
			o.Recipe, o.Resume, o.MaxUpdates = nil, true, -1
			server.Change(func(s *tinkertest.Server) { s.Mean = false })
			if _, err := train.Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), "engine.tinker was mean true, ") || !strings.Contains(err.Error(), "now mean false, ") {
				t.Errorf("a run on a server that computes in another way: %v", err)
			}
			server.Change(func(s *tinkertest.Server) { s.Mean = true })
			if _, err := train.Run(context.Background(), o); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestRefusals: everything that a server has not is listed at once, and nothing was started.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name string
		sets []string
		want []string
	}{
		{"magrpo-tiny", []string{"sampling.top_k=3", "sampling.top_p=0.5", "sampling.min_tokens=2", "policies.targets=[q_proj]"}, []string{
			"sampling.temperature is 0.7, but", "sampling.top_k is 3", "sampling.top_p is 0.5", "sampling.min_tokens is 2", "eval.temperature is 0.7", "policies.targets is [q_proj]",
		}},
		{"magrpo-tiny", []string{"engine.tinker.url=cluster"}, []string{`engine.tinker.url is "cluster", expected an http address: write for example http://127.0.0.1:8000`}},
		{"debate-sums", []string{"ppo.kl_form=ref_policy_exact"}, []string{"ppo.kl_form is ref_policy_exact, but the protocol has no whole distributions: write ref_policy_sampled"}},
	} {
		err := cluster.Check(load(t, c.name, "http://127.0.0.1:1", c.sets...))
		var user *usererror.Error
		if !errors.As(err, &user) {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q in it", c.name, err, want)
			}
		}
	}
	if err := cluster.Check(load(t, "magrpo-tiny", "")); err != nil {
		t.Errorf("a recipe without a server: %v", err)
	}
	_, url := serve(t)
	r := load(t, "magrpo-tiny", url, append(fits, "policies.alpha=16", "optimizer.weight_decay=0.01")...)
	_, err := train.Run(context.Background(), train.Options{Recipe: r, Backend: native.Backend{}, Language: r.Language(), Dir: filepath.Join(t.TempDir(), "run"), MaxUpdates: -1})
	for _, want := range []string{"policies.alpha is 16, but this server's adapters have another: write 32", "optimizer.weight_decay is 0.01, but there are 2 policies"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
}

// TestScoredAgain: what a server says of its samples is what this machine computes for them, over the adapters that came home, in every update and
// after the run went on.
func TestScoredAgain(t *testing.T) {
	_, url := serve(t)
	r := load(t, "magrpo-tiny", url, append(fits, "sampling.max_tokens=12", "training.updates=3", "engine.tinker.again=3", "optimizer.lr=0.01")...)
	dir := filepath.Join(t.TempDir(), "run")
	o := train.Options{Recipe: r, Backend: native.Backend{}, Language: r.Language(), Dir: dir, MaxUpdates: 1}
	if _, err := train.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	o.Recipe, o.Resume, o.MaxUpdates = nil, true, -1
	if _, err := train.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "timing.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != 3 {
		t.Fatalf("timing.jsonl is\n%s", text)
	}
	for _, line := range lines {
		var timing record.Timing
		if err := json.Unmarshal([]byte(line), &timing); err != nil || timing.Apart == nil || *timing.Apart > 1e-3 {
			t.Errorf("samples are apart: %s, %v", line, err)
		}
	}
}

// kept checks that a run keeps what was measured of its server.
func kept(t *testing.T, dir string) {
	t.Helper()
	meta, err := runs.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var record cluster.Record
	if err := json.Unmarshal(meta.Cluster, &record); err != nil || !record.Profile.Mean || len(record.Profile.Findings) < 24 || record.Mismatches == nil {
		t.Errorf("the run keeps %s, %v", meta.Cluster, err)
	}
}
