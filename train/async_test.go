package train_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"parley/engine"
	"parley/engine/native"
	"parley/model"
	"parley/train"
	"parley/train/shortrun"
)

// What an older policy wrote is learned from with weights: ratios of its tokens are not 1, but for those of the first update, which nothing was
// learned before. Verifying learns such an update again.
func TestAheadIsWeighted(t *testing.T) {
	o := quick(t, "magrpo-tiny", "training.async=1", "optimizer.lr=0.01", "training.problems=2")
	if _, err := train.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for i, m := range shortrun.Metrics(t, o.Dir) {
		if off := m.RatioMax != 1 || m.RatioMean != 1; off != (i > 0) || m.Lag != min(i, 1) {
			t.Errorf("update %d: lag %d, ratios %g on average and %g at most", m.Update, m.Lag, m.RatioMean, m.RatioMax)
		}
	}
	v, err := train.Verify(t.Context(), train.Options{Backend: o.Backend, Language: o.Recipe.Language(), Dir: o.Dir}, 4)
	if err != nil || !v.OK {
		t.Errorf("%+v, %v", v, err)
	}
	left, err := filepath.Glob(filepath.Join(o.Dir, "checkpoints", "*", "ahead.jsonl"))
	if err != nil || len(left) != 1 || bytes.Contains([]byte(left[0]), []byte("000004")) {
		t.Errorf("episodes wait in %q (%v), want those of the checkpoint before the last", left, err)
	}
}

// keeping puts models on engines that draw from policies as they were while they train them.
type keeping struct {
	native.Backend
	kept *atomic.Int64 // times
}

func (k keeping) Open(ctx context.Context, m *model.Model, o engine.Options) (engine.Engine, error) {
	e, err := k.Backend.Open(ctx, m, o)
	return &keeper{Engine: e, kept: k.kept}, err
}

// A keeper draws from copies while somebody wants it to.
type keeper struct {
	engine.Engine
	kept     *atomic.Int64
	policies []engine.Policy
	pinned   atomic.Bool
}

const copied = " as it was"

func (k *keeper) NewPolicy(ctx context.Context, p engine.Policy, spec engine.PolicySpec) error {
	k.policies = append(k.policies, p)
	return k.Engine.NewPolicy(ctx, p, spec)
}

func (k *keeper) Pin(ctx context.Context) (release func(), err error) {
	dir, err := os.MkdirTemp("", "kept-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for i, p := range k.policies {
		at := filepath.Join(dir, fmt.Sprint(i))
		if err := errors.Join(k.Save(ctx, p, at), k.Load(ctx, p+copied, at)); err != nil {
			return nil, err
		}
	}
	k.pinned.Store(true)
	k.kept.Add(1)
	return func() { k.pinned.Store(false) }, nil
}

func (k *keeper) Sample(ctx context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	if k.pinned.Load() {
		reqs = slices.Clone(reqs)
		for i := range reqs {
			if reqs[i].Policy != engine.Base {
				reqs[i].Policy += copied
			}
		}
	}
	return k.Engine.Sample(ctx, reqs)
}

func (k *keeper) Close() error { return k.Engine.(io.Closer).Close() }

// On engines that keep the policies an update is sampled while the one before learns, and the numbers are those of sampling first.
func TestAheadAtTheSameTime(t *testing.T) {
	sets := []string{"training.async=1", "optimizer.lr=0.01", "group.buffer=3", "group.train_batch=1", "training.problems=2", "sampling.max_tokens=16"} // several steps an update
	first, meanwhile := quick(t, "magrpo-tiny", sets...), quick(t, "magrpo-tiny", sets...)
	var kept atomic.Int64
	meanwhile.Backend = keeping{kept: &kept}
	for _, o := range []train.Options{first, meanwhile} {
		if _, err := train.Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(metricsFile(t, first.Dir), metricsFile(t, meanwhile.Dir)) || kept.Load() != 3 {
		t.Errorf("policies were kept %d times, want 3:\n%s\n%s", kept.Load(), metricsFile(t, first.Dir), metricsFile(t, meanwhile.Dir))
	}
}
