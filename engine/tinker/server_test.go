//go:build cluster

package tinker

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"parley/engine"
	"parley/engine/enginetest"
	"parley/engine/native"
	"parley/engine/tinker/link"
	"parley/engine/tinker/probe"
	"parley/model/config"
	"parley/model/weights"
)

// The tests of this file are against a server that runs: with -tags cluster, PARLEY_TINKER_URL where it listens, PARLEY_TINKER_MODEL, the folder of the
// base that it has, which is its name there, and PARLEY_TINKER_PROFILE, a file with what `parley doctor --engine --json` found there.

// A pair is a server and the same base on this machine.
type pair struct {
	there *Engine
	here  *native.Engine
}

// openServer opens both. What was measured of the server is not measured again.
func openServer(t *testing.T) pair {
	t.Helper()
	name := os.Getenv("PARLEY_TINKER_MODEL")
	src, err := weights.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	here, err := native.Open(src, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { here.Close() })
	c, err := config.Parse(src.Config())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(os.Getenv("PARLEY_TINKER_PROFILE"))
	if err != nil {
		t.Fatal(err)
	}
	var known struct{ Profile probe.Profile }
	if err := json.Unmarshal(text, &known); err != nil {
		t.Fatal(err)
	}
	there, err := Open(t.Context(), link.Server{URL: os.Getenv("PARLEY_TINKER_URL"), Model: name, Wait: 5 * time.Minute}, Shape{Vocab: c.Vocab, Context: c.Context}, &known.Profile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { there.Close() })
	return pair{there, here}
}

// another is a client of the same server in a session of its own.
func (p pair) another(t *testing.T) *Engine {
	t.Helper()
	c := *p.there.c
	e := &Engine{c: &c, shape: p.there.shape, profile: p.there.profile, policies: map[engine.Policy]*policy{}, slots: make(chan struct{}, usualSlots)}
	var err error
	if e.session, err = c.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// TestServer: the suite of all engines; steps there and here are alike; what was saved goes on.
func TestServer(t *testing.T) {
	p := openServer(t)
	t.Run("conformance", func(t *testing.T) {
		enginetest.Conformance(t, func(t *testing.T) engine.Engine { return p.another(t) }, p.here.Config().Vocab)
	})
	t.Run("parity", p.parity)
	t.Run("resume", p.resume)
}

// parity: a policy of the server comes home, three steps there and here move it alike, and what comes home then computes the same.
func (p pair) parity(t *testing.T) {
	there, here := p.another(t), p.here
	if err := there.NewPolicy(t.Context(), "p", engine.PolicySpec{Rank: 8, Seed: 9}); err != nil {
		t.Fatal(err)
	}
	home := func() string {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "policy")
		if err := there.Save(t.Context(), "p", dir); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	if err := here.Load(t.Context(), "p", home()); err != nil {
		t.Fatal(err)
	}
	before := scores(t, there)
	t.Logf("untrained: log-probabilities %.2g apart", gap(before, scores(t, here)))
	want, got := train(t, here, 3), train(t, there, 3)
	a, b := scores(t, here), scores(t, there)
	t.Logf("after three steps, which moved them by %.2g: %.2g apart; gradient norms %v and %v", gap(a, before), gap(a, b), want.GradNorm, got.GradNorm)
	if gap(a, b) > 1e-3 || gap(a, before) < 0.1 || math.Abs(want.GradNorm-got.GradNorm) > 1e-3*want.GradNorm {
		t.Error("the server and the embedded engine do not take the same steps")
	}
	if err := here.Load(t.Context(), "q", home()); err != nil {
		t.Fatal(err)
	}
	q := data()
	for i := range q {
		q[i].Policy = "q"
	}
	out, err := here.Forward(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var at []float32
	for _, o := range out {
		at = append(at, o.Logprobs...)
	}
	if off := gap(at, b); off > 1e-3 {
		t.Errorf("what came home is %g apart", off)
	}
}

// resume: a policy that was saved goes on bit for bit, in another session.
func (p pair) resume(t *testing.T) {
	there, again := p.another(t), p.another(t)
	if err := there.NewPolicy(t.Context(), "p", engine.PolicySpec{Rank: 8, Seed: 9}); err != nil {
		t.Fatal(err)
	}
	train(t, there, 2)
	dir := filepath.Join(t.TempDir(), "policy")
	if err := there.Save(t.Context(), "p", dir); err != nil {
		t.Fatal(err)
	}
	if err := again.Load(t.Context(), "p", dir); err != nil {
		t.Fatal(err)
	}
	steady := adam
	steady.WeightDecay = 0 // that of one policy may shrink others
	for _, e := range []*Engine{there, again} {
		if err := e.ForwardBackward(t.Context(), data(), uneven); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Step(t.Context(), "p", steady); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := scores(t, there), scores(t, again); !slices.Equal(a, b) {
		t.Errorf("%g apart", gap(a, b))
	}
}
