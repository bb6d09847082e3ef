//go:build cluster

package tinker

import (
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

// The tests of this file are against a server that runs: with -tags cluster, PARLEY_TINKER_URL where it listens, and PARLEY_TINKER_MODEL, the folder
// of the base that it has, which is its name there.

// openServer opens the server, and the same base here. A profile that is known is not measured whole again.
func openServer(t *testing.T, known *probe.Profile) (*Engine, *native.Engine) {
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
	there, err := Open(t.Context(), link.Server{URL: os.Getenv("PARLEY_TINKER_URL"), Model: name, Wait: 5 * time.Minute}, Shape{Vocab: c.Vocab, Context: c.Context}, known)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { there.Close() })
	return there, here
}

// TestServerConformance runs the suite of all engines.
func TestServerConformance(t *testing.T) {
	there, here := openServer(t, nil)
	enginetest.Conformance(t, func(t *testing.T) engine.Engine {
		e, err := open(t.Context(), there.c, there.shape, &there.profile)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		return e
	}, here.Config().Vocab)
}

// TestServerParity: a policy of the server comes home, three steps there and here move it alike, and what comes home then computes the same.
func TestServerParity(t *testing.T) {
	there, here := openServer(t, nil)
	for _, f := range there.Profile().Findings {
		t.Log(f)
	}
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

// TestServerResume: a policy that was saved goes on bit for bit, in another session.
func TestServerResume(t *testing.T) {
	there, _ := openServer(t, nil)
	if err := there.NewPolicy(t.Context(), "p", engine.PolicySpec{Rank: 8, Seed: 9}); err != nil {
		t.Fatal(err)
	}
	train(t, there, 2)
	dir := filepath.Join(t.TempDir(), "policy")
	if err := there.Save(t.Context(), "p", dir); err != nil {
		t.Fatal(err)
	}
	again, _ := openServer(t, &there.profile)
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
