package plan_test

import (
	"context"
	"testing"

	"parley/recipe/language"
	"parley/train/plan"
)

// TestOpenTaskAsItIsStopped: ^C that comes while a task opens which waits for nothing is no error of the task.
func TestOpenTaskAsItIsStopped(t *testing.T) {
	r, err := language.New().Load("magrpo-tiny", nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if opened, err := plan.OpenTask(ctx, r, r.Task, true); err != nil || opened == nil {
		t.Errorf("task %v, error %v", opened, err)
	}
}
