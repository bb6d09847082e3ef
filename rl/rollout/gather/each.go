package gather

import (
	"sync"
	"sync/atomic"
)

// Each calls f with 0, ..., n-1, at most so many at a time, in this order. Of several errors it returns that of the lowest number, whatever
// finished first.
func Each(n, atATime int, f func(i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(n, atATime) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				errs[i] = f(i)
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
