package cluster_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/engine/openai/openaitest"
	"parley/internal/turn"
	"parley/internal/usererror"
	"parley/recipe"
	"parley/recipe/language"
	"parley/train"
	"parley/train/cluster"
	"parley/train/shortrun"
)

// serveModel starts a sampler over the base that ships.
func serveModel(t *testing.T) (*openaitest.Server, string) {
	t.Helper()
	s := openaitest.New(base(t), "base")
	l := httptest.NewServer(s)
	t.Cleanup(l.Close)
	return s, l.URL + "/v1"
}

var small = []string{"sampling.max_tokens=12", "training.updates=2", "training.problems=2", "eval.problems=2", "eval.examples=0", "eval.baselines=[]"}

func loadServer(t *testing.T, name string, sets ...string) *recipe.Recipe {
	t.Helper()
	r, err := language.New().Load(name, append(sets, small...))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestServerTrain: groups and debates train on what a server draws, with every update's policies, and go on there after an interruption. What is drawn has
// the log-probabilities that are trained with.
func TestServerTrain(t *testing.T) {
	for i, c := range []struct {
		name, async string
	}{{"magrpo-tiny", "0"}, {"magrpo-tiny", "1"}, {"debate-sums", "0"}} {
		if !turn.Share(i) {
			continue
		}
		t.Run(c.name+" "+c.async, func(t *testing.T) {
			s, url := serveModel(t)
			folder := t.TempDir()
			r := loadServer(t, c.name, "training.async="+c.async, "sampler.openai.url="+url, "sampler.openai.model=base", "sampler.openai.adapters="+folder)
			dir := filepath.Join(t.TempDir(), "run")
			o := train.Options{Recipe: r, Backend: native.Backend{}, Language: r.Language(), Dir: dir, MaxUpdates: 1}
			if _, err := train.Run(context.Background(), o); err != nil {
				t.Fatal(err)
			}
			o.Recipe, o.Resume, o.MaxUpdates = nil, true, -1
			if _, err := train.Run(context.Background(), o); err != nil {
				t.Fatal(err)
			}
			for _, m := range shortrun.Metrics(t, dir) {
				if c.async == "1" {
					continue // what is learned from was drawn before its policy moved
				}
				if m.Gap == nil || m.Gap.Tokens == 0 || m.Gap.Most > 1e-4 {
					t.Errorf("update %d: gap %+v", m.Update, m.Gap)
				}
			}
			if left, _ := os.ReadDir(folder); len(left) != 0 || len(s.Loaded()) != 0 || s.Drawn("parley-") == 0 || s.Drawn("base") == 0 {
				t.Errorf("%v on disk, %v loaded; %d and %d completions", left, s.Loaded(), s.Drawn("parley-"), s.Drawn("base"))
			}
		})
	}
}

// TestServerRefusals: everything that a sampler has not is listed at once, and nothing was started.
func TestServerRefusals(t *testing.T) {
	err := cluster.CheckSampler(loadServer(t, "magrpo-tiny", "sampler.openai.url=there", "engine.tinker.url=http://127.0.0.1:1"))
	var user *usererror.Error
	if !errors.As(err, &user) {
		t.Fatal(err)
	}
	for _, want := range []string{`url is "there", expected an http address`, "model is empty", "adapters is empty", "leave one of the two out"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
	if err := cluster.CheckSampler(loadServer(t, "magrpo-tiny")); err != nil {
		t.Errorf("a recipe without a sampler: %v", err)
	}
}
