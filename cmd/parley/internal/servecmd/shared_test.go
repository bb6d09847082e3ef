package servecmd

import (
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"parley/engine"
	"parley/engine/native"
	"parley/model"
)

const ownPolicy engine.Policy = "policy1"

func openModel(t *testing.T) *model.Model {
	t.Helper()
	m, err := model.Open(model.Shipped)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// trained is a folder with a policy that differs from the base, and its engine.
func trained(t *testing.T, m *model.Model) (string, *native.Engine) {
	t.Helper()
	e, err := native.Open(m.Source, engine.Options{ScoreAsSampled: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	ctx := t.Context()
	if err := e.NewPolicy(ctx, ownPolicy, spec); err != nil {
		t.Fatal(err)
	}
	data := []engine.Datum{{Policy: ownPolicy, Tokens: []int{5, 6, 7, 8, 9}, ScoreFrom: 1}}
	for range 3 {
		err := e.ForwardBackward(ctx, data, func(_ int, outputs []engine.Output) ([]engine.Gradient, error) {
			return []engine.Gradient{{Logprobs: slices.Repeat([]float32{-1}, len(outputs[0].Logprobs))}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Step(ctx, ownPolicy, engine.Adam{LR: 0.05, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8}); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(t.TempDir(), "policy")
	if err := e.Save(ctx, ownPolicy, dir); err != nil {
		t.Fatal(err)
	}
	return dir, e
}

var spec = engine.PolicySpec{Rank: 2, Alpha: 4, Targets: []string{"q_proj", "v_proj"}, Seed: 1}

// TestViews: two teams over one base, each with a policy of the same name, have one engine, and each draws and scores what it has alone, also at the
// same time. The last who goes closes the engine.
func TestViews(t *testing.T) {
	m := openModel(t)
	dir, alone := trained(t, m)
	b := &Backend{}
	open := func(o engine.Options) *view {
		e, err := b.Open(t.Context(), openModel(t), o)
		if err != nil {
			t.Fatal(err)
		}
		v := e.(*view)
		if err := v.NewPolicy(t.Context(), ownPolicy, spec); err != nil {
			t.Fatal(err)
		}
		return v
	}
	first, second := open(engine.Options{}), open(engine.Options{Threads: 1})
	if err := second.Load(t.Context(), ownPolicy, dir); err != nil {
		t.Fatal(err)
	}
	if len(b.bases) != 1 || first.base != second.base {
		t.Errorf("%d engines", len(b.bases))
	}
	request := func(p engine.Policy) []engine.SampleRequest {
		return []engine.SampleRequest{{Policy: p, Prompt: []int{5, 6, 7}, MaxTokens: 12, Seed: 3, Sampling: engine.Sampling{Temperature: 1}}}
	}
	type user struct {
		name string
		e    engine.Engine
		p    engine.Policy
	}
	var all sync.WaitGroup
	want := map[engine.Policy][]engine.Sample{}
	for _, p := range []engine.Policy{engine.Base, ownPolicy} {
		s, err := alone.Sample(t.Context(), request(p))
		if err != nil {
			t.Fatal(err)
		}
		want[p] = s
	}
	if slices.Equal(want[engine.Base][0].Logprobs, want[ownPolicy][0].Logprobs) {
		t.Fatal("the trained policy is the base")
	}
	for i, u := range []user{{"first", first, ownPolicy}, {"second", second, ownPolicy}, {"first's base", first, engine.Base}, {"second's base", second, engine.Base}} {
		like := ownPolicy
		if i != 1 {
			like = engine.Base // a fresh policy is its base
		}
		all.Go(func() {
			for range 3 {
				s, err := u.e.Sample(t.Context(), request(u.p))
				if err != nil || !slices.Equal(s[0].Tokens, want[like][0].Tokens) || !slices.Equal(s[0].Logprobs, want[like][0].Logprobs) {
					t.Errorf("%s: %v, %v, alone %v", u.name, s, err, want[like])
					return
				}
				out, err := u.e.Forward(t.Context(), []engine.Datum{{Policy: u.p, Tokens: slices.Concat([]int{5, 6, 7}, s[0].Tokens), ScoreFrom: 3, Sampling: engine.Sampling{Temperature: 1}}})
				if err != nil || !slices.Equal(out[0].Logprobs, s[0].Logprobs) {
					t.Errorf("%s: scored %v, %v, drawn %v", u.name, out, err, s[0].Logprobs)
				}
			}
		})
	}
	all.Wait()
	if _, err := first.Step(t.Context(), ownPolicy, engine.Adam{}); !errors.Is(err, errTrains) {
		t.Errorf("a step: %v", err)
	}
	if err := errors.Join(second.Close(), second.Close()); err != nil || len(b.bases) != 1 {
		t.Errorf("%v, %d engines", err, len(b.bases))
	}
	if _, err := first.Sample(t.Context(), request(ownPolicy)); err != nil {
		t.Error(err)
	}
	if err := first.Close(); err != nil || len(b.bases) != 0 {
		t.Errorf("%v, %d engines", err, len(b.bases))
	}
}

// TestApart: bases that are held in other formats are other engines.
func TestApart(t *testing.T) {
	b := &Backend{}
	for i, name := range []string{"f32", "bf16", "f32"} {
		format, err := engine.ParseFormat(name)
		if err != nil {
			t.Fatal(err)
		}
		e, err := b.Open(t.Context(), openModel(t), engine.Options{Format: format})
		if err != nil {
			t.Fatal(err)
		}
		defer e.(*view).Close()
		if want := min(i+1, 2); len(b.bases) != want {
			t.Errorf("%d engines after %d, want %d", len(b.bases), i+1, want)
		}
	}
}
