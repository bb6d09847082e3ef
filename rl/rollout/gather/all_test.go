package gather_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"parley/rl/rollout/gather"
)

// TestAll: every number once, several at a time, and the error of the lowest one.
func TestAll(t *testing.T) {
	const n = 100
	var calls [n]atomic.Int32
	if err := gather.All(n, func(i int) error { calls[i].Add(1); return nil }); err != nil {
		t.Error(err)
	}
	for i := range calls {
		if c := calls[i].Load(); c != 1 {
			t.Errorf("%d was called %d times", i, c)
		}
	}
	if err := gather.All(0, func(int) error { return errors.New("called") }); err != nil {
		t.Error(err)
	}
	err := gather.All(n, func(i int) error {
		if i%10 == 7 {
			return fmt.Errorf("number %d", i)
		}
		return nil
	})
	if err == nil || err.Error() != "number 7" {
		t.Errorf("error %v, want that of number 7", err)
	}
}
