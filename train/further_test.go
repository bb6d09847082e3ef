package train_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/recipe/language"
	"parley/train"
)

// goOn resumes the run of o with changes of the options.
func goOn(t *testing.T, o train.Options, change func(*train.Options)) (*train.Result, error) {
	t.Helper()
	again := train.Options{Backend: native.Backend{}, Language: language.New(), Dir: o.Dir, Resume: true, MaxUpdates: -1}
	change(&again)
	return train.Run(context.Background(), again)
}

// TestTrainFurtherDecays: a learning rate that decays falls over the new number of updates, and what was learned under the old one is
// verified under the old one.
func TestTrainFurtherDecays(t *testing.T) {
	o := quick(t, "magrpo-tiny", "training.updates=2", "training.problems=2", "training.keep=4", "optimizer.decay=linear")
	if _, err := train.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if _, err := goOn(t, o, func(o *train.Options) { o.Updates = 4 }); err != nil {
		t.Fatal(err)
	}
	for _, update := range []int{1, 2, 3, 4} {
		if v := verified(t, o.Dir, update); !v.OK {
			t.Errorf("update %d: %q", update, v.Problems)
		}
	}
	before := runFile(t, o.Dir, "run.json")
	for want, change := range map[string]func(*train.Options){
		"has done 4 updates already: --updates 3 is less": func(o *train.Options) { o.Updates = 3 },
	} {
		if _, err := goOn(t, o, change); !errors.As(err, new(*train.UserError)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if !bytes.Equal(before, runFile(t, o.Dir, "run.json")) {
		t.Error("what was refused changed run.json")
	}
	iterated := quick(t, "madpo-tiny", "preference.candidates=6", "preference.iterations=2", "training.updates=2", "training.problems=1", "sampling.max_tokens=8")
	if _, err := train.Run(context.Background(), iterated); err != nil {
		t.Fatal(err)
	}
	if _, err := goOn(t, iterated, func(o *train.Options) { o.Further = 2 }); !errors.As(err, new(*train.UserError)) || !strings.Contains(err.Error(), "2 iterations of 2 updates") {
		t.Errorf("a run of several iterations: %v", err)
	}
}
