package sandbox

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

// A memo keeps the newest results, finds out each once, and no errors.
func TestMemo(t *testing.T) {
	var m Memo[int]
	var found atomic.Int64
	get := func(n int, err error) (int, error) {
		return m.Of(fmt.Sprint(n), func() (int, error) {
			found.Add(1)
			return n, err
		})
	}
	for range 2 {
		if _, err := get(0, errors.New("lost")); err == nil {
			t.Fatal("an error is kept from who asks")
		}
	}
	var wait sync.WaitGroup
	for i := range 4 * memoSize {
		wait.Go(func() {
			if n, err := get(i%memoSize, nil); n != i%memoSize || err != nil {
				t.Errorf("%d: %d, %v", i%memoSize, n, err)
			}
		})
	}
	wait.Wait()
	if n := found.Load(); n != 2+memoSize {
		t.Errorf("%d results were found out", n)
	}
	get(memoSize, nil)
	if n := len(m.kept); n != memoSize || found.Load() != 3+memoSize {
		t.Errorf("%d results are kept", n)
	}
}
