//go:build reference

package train

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"parley/engine"
	"parley/recipe"
	"parley/rl/learn"
)

// A recorded call of an engine that trains.
type trainingCall struct {
	Kind   string         `json:"kind"` // forward-backward or step
	Policy engine.Policy  `json:"policy"`
	Data   []engine.Datum `json:"data,omitempty"`
	Adam   *engine.Adam   `json:"adam,omitempty"`
	Norm   float64        `json:"grad_norm"`
	Saved  string         `json:"saved,omitempty"` // folder of the policy after the step
}

// A scribe is an engine that writes down how it is trained.
type scribe struct {
	engine.Engine
	dir   string
	calls []trainingCall
}

// ForwardBackward writes down a call for each policy: those that are trained together have nothing to do with each other.
func (s *scribe) ForwardBackward(ctx context.Context, data []engine.Datum, loss engine.Loss) error {
	for rest := data; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Policy == rest[0].Policy {
			n++
		}
		s.calls = append(s.calls, trainingCall{Kind: "forward-backward", Policy: rest[0].Policy, Data: rest[:n]})
		rest = rest[n:]
	}
	return s.Engine.ForwardBackward(ctx, data, loss)
}

func (s *scribe) Step(ctx context.Context, p engine.Policy, adam engine.Adam) (engine.StepInfo, error) {
	info, err := s.Engine.Step(ctx, p, adam)
	if err != nil {
		return info, err
	}
	saved := fmt.Sprintf("step-%03d", len(s.calls))
	s.calls = append(s.calls, trainingCall{Kind: "step", Policy: p, Adam: &adam, Norm: info.GradNorm, Saved: saved})
	return info, s.Save(ctx, p, filepath.Join(s.dir, saved))
}

// TestReference records one update of every recipe in PARLEY_RECIPES under PARLEY_REFERENCE: the recipe in full, the policies before,
// the credited episodes, every call that trains, the policies after each step, and the metrics. bench/reference/check.py computes
// the same update in PyTorch and compares.
func TestReference(t *testing.T) {
	recipes, out := os.Getenv("PARLEY_RECIPES"), os.Getenv("PARLEY_REFERENCE")
	files, err := filepath.Glob(filepath.Join(recipes, "*.yaml"))
	if err != nil || len(files) == 0 || out == "" {
		t.Fatalf("%d recipes in PARLEY_RECIPES %q, PARLEY_REFERENCE %q: run bench/reference/check.py", len(files), recipes, out)
	}
	for _, file := range files {
		r, err := lang.Load(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(r.Name, func(t *testing.T) {
			if err := recordUpdate(t, r, filepath.Join(out, r.Name)); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func recordUpdate(t *testing.T, r *recipe.Recipe, dir string) error {
	ctx := t.Context()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	s := fresh(t, r)
	defer s.Close()
	if err := s.Save(ctx, filepath.Join(dir, "before"), s.Policies()); err != nil {
		return err
	}
	runner := s.Rollout()
	episodes, err := runner.Run(ctx, "train", 1, s.Resources.Training.Batch(0))
	if err != nil {
		return err
	}
	watched := &scribe{Engine: s.Bases[0].Engine, dir: dir}
	for i := range runner.Actors {
		runner.Actors[i].Engine = watched
	}
	l, err := s.Recipe.AlgorithmType().New(s.Learning(runner.Actors))
	if err != nil {
		return err
	}
	m := &Metrics{Update: 1}
	u := learn.Recorded(0, episodes)
	u.Stats = &m.Stats
	if err := l.Update(ctx, u); err != nil {
		return err
	}
	for name, v := range map[string]any{"episodes": episodes, "calls": watched.calls, "metrics": m} {
		data, err := json.Marshal(v)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name+".json"), data, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "recipe.yaml"), r.YAML(), 0o644)
}
