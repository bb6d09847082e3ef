package train_test

import (
	"context"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/engine"
	"parley/engine/native"
	"parley/model"
	"parley/model/config"
	"parley/recipe/keys"
	"parley/train"
)

// bare puts models on engines that can do what [engine.Engine] promises and nothing beside, on a machine of which nothing is known.
type bare struct{ opened, closed *int }

// A bareEngine has none of the abilities of the engine in it but that it is closed.
type bareEngine struct {
	engine.Engine
	closed *int
}

func (e bareEngine) Close() error {
	*e.closed++
	return e.Engine.(io.Closer).Close()
}

func (b bare) Open(ctx context.Context, m *model.Model, o engine.Options) (engine.Engine, error) {
	e, err := native.Backend{}.Open(ctx, m, o)
	if err != nil {
		return nil, err
	}
	*b.opened++
	return bareEngine{e, b.closed}, nil
}

type nothing struct{}

func (nothing) Footprint(engine.Load, []engine.PolicySpec) engine.Footprint {
	return engine.Footprint{}
}

func (bare) Estimator(config.Config, engine.Options) engine.Estimator { return nothing{} }

func (bare) Kernels(engine.Options) (name, slow string) { return "elsewhere", "elsewhere is far away" }

// A run needs no more than an engine: on one without other abilities it has the same numbers, and says what it ran on.
func TestBackend(t *testing.T) {
	want := quick(t, "magrpo-tiny", "training.updates=2", "training.problems=2")
	if _, err := train.Run(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	got, opened, closed, slow := quick(t, "magrpo-tiny", "training.updates=2", "training.problems=2"), 0, 0, false
	got.Backend = bare{&opened, &closed}
	got.Observe = func(e train.Event) { slow = slow || strings.Contains(e.Message, "far away") }
	if _, err := train.Run(t.Context(), got); err != nil {
		t.Fatal(err)
	}
	if string(metricsFile(t, got.Dir)) != string(metricsFile(t, want.Dir)) {
		t.Error("the metrics differ")
	}
	if opened == 0 || closed != opened || !slow {
		t.Errorf("%d engines opened, %d closed, told that it is slow: %v", opened, closed, slow)
	}
	if !strings.Contains(string(runFile(t, got.Dir, "run.json")), `"elsewhere"`) {
		t.Error("the run does not record what it ran on")
	}
	if _, err := train.Run(t.Context(), train.Options{Recipe: want.Recipe}); err == nil || !strings.Contains(err.Error(), "Backend") {
		t.Errorf("without a backend: %v", err)
	}
}

// TestEngineWords: what recipes may say about engines is what package engine knows.
func TestEngineWords(t *testing.T) {
	words := func(field string) []string {
		f, ok := reflect.TypeFor[keys.Engine]().FieldByName(field)
		if !ok {
			t.Fatalf("recipes have no engine.%s", field)
		}
		return strings.Fields(f.Tag.Get("oneof"))
	}
	if got := words("Kernels"); !slices.Equal(got, append([]string{"auto"}, engine.KernelSets()...)) {
		t.Errorf("engine.kernels is one of %v, the engine's sets are %v", got, engine.KernelSets())
	}
	for i, word := range words("DType") {
		if f, err := engine.ParseFormat(word); err != nil || f != engine.Format(i) {
			t.Errorf("engine.dtype %s is %v, %v", word, f, err)
		}
	}
}
