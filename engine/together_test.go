package engine

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

// TestEach: all are done, never more at a time than the bound.
func TestEach(t *testing.T) {
	var now, most, done atomic.Int64
	err := Together(t.Context(), 100, 7, func(context.Context, int) error {
		for n, m := now.Add(1), most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		now.Add(-1)
		done.Add(1)
		return nil
	})
	if err != nil || done.Load() != 100 || most.Load() > 7 {
		t.Errorf("%d done, %d at a time, %v", done.Load(), most.Load(), err)
	}
}

// TestFirstError: the first error ends those that wait for their context, and is the one that is returned.
func TestFirstError(t *testing.T) {
	wrong := errors.New("wrong")
	err := Together(t.Context(), 50, 3, func(ctx context.Context, i int) error {
		if i == 2 {
			return wrong
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, wrong) {
		t.Errorf("error %v", err)
	}
}
