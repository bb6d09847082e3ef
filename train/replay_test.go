package train

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"

	"parley/engine"
	"parley/engine/native"
	"parley/recipe"
	"parley/rl/learn"
	"parley/rl/rollout"
	"parley/runs"
	"parley/train/lineup"
	"parley/train/plan"
)

// deaf is an engine that cannot sample.
type deaf struct{ engine.Engine }

func (*deaf) Sample(context.Context, []engine.SampleRequest) ([]engine.Sample, error) {
	panic("a replay must not sample")
}

// TestReplay: a run folder holds all that a learner needs: its episodes teach a fresh one the same as the run itself, without sampling.
// That learners are functions of their episodes is tested with each algorithm.
// TestLongReplay replays several epochs of a larger update.
func TestReplay(t *testing.T) {
	replays(t, "training.problems=1", "task.train=10", "ppo.epochs=1", "ppo.minibatches=1", "eval.problems=1")
}

func replays(t *testing.T, sets ...string) {
	t.Helper()
	r, err := lang.Load("debate-sums", append(sets, "training.updates=1", "eval.baselines=[]"))
	if err != nil {
		t.Fatal(err)
	}
	result, err := Run(context.Background(), Options{Backend: native.Backend{}, Recipe: r, Dir: filepath.Join(t.TempDir(), "run"), MaxUpdates: -1})
	if err != nil {
		t.Fatal(err)
	}
	replayed := replay(t, r, result.Dir, func(e engine.Engine) engine.Engine { return &deaf{e} })
	defer replayed.Close()
	trained := loaded(t, r, result.Dir)
	defer trained.Close()
	for _, p := range replayed.Policies() {
		if a, b := fingerprint(t, replayed, p), fingerprint(t, trained, p); a != b {
			t.Errorf("%s: replayed policy scores %v, trained one %v", p.Name, a, b)
		}
	}
}

// replay learns from the recorded episodes of update 1, with every engine wrapped.
func replay(t *testing.T, r *recipe.Recipe, dir string, wrap func(engine.Engine) engine.Engine) lineup.Lineup {
	t.Helper()
	episodes := recordedEpisodes(t, dir, 1)
	s := fresh(t, r)
	wrapped := map[engine.Engine]engine.Engine{} // seats of one engine keep sharing it
	for _, b := range s.Bases {
		wrapped[b.Engine] = wrap(b.Engine)
	}
	actors := s.Rollout().Actors
	for i := range actors {
		actors[i].Engine = wrapped[actors[i].Engine]
	}
	l, err := s.Recipe.AlgorithmType().New(s.Learning(actors))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Update(context.Background(), learn.Recorded(0, episodes)); err != nil {
		t.Fatal(err)
	}
	return s
}

// recordedEpisodes reads those of an update.
func recordedEpisodes(t *testing.T, dir string, update int) []*rollout.Episode {
	t.Helper()
	var episodes []*rollout.Episode
	err := runs.ReadEpisodes(dir, update, func(line []byte) error {
		e := new(rollout.Episode)
		episodes = append(episodes, e)
		return json.Unmarshal(line, e)
	})
	if err != nil {
		t.Fatal(err)
	}
	return episodes
}

func fresh(t *testing.T, r *recipe.Recipe) lineup.Lineup {
	t.Helper()
	s, err := lineup.Open(t.Context(), r, native.Backend{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.AddPolicies(context.Background()); err != nil {
		t.Fatal(err)
	}
	return s
}

func loaded(t *testing.T, r *recipe.Recipe, dir string) lineup.Lineup {
	t.Helper()
	s := fresh(t, r)
	if err := s.Load(context.Background(), filepath.Join(dir, "adapters"), s.Policies()); err != nil {
		t.Fatal(err)
	}
	return s
}

// fingerprint is the log-probability of one fixed token under a policy.
func fingerprint(t *testing.T, l lineup.Lineup, p plan.Policy) float32 {
	t.Helper()
	out, err := l.EngineOf(p).Forward(context.Background(), []engine.Datum{{Policy: p.Name, Tokens: []int{1, 5, 9, 30, 40}, ScoreFrom: 1}})
	if err != nil {
		t.Fatal(err)
	}
	sum := float32(0)
	for _, lp := range out[0].Logprobs {
		sum += lp
	}
	return sum
}
