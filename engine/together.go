package engine

import (
	"context"
	"sync"
)

// Together does many things at the same time, for clients of servers that bear so many requests: it calls f with 0, …, n−1, at most so many at a time. The first error ends the others and is returned.
func Together(ctx context.Context, n, most int, f func(ctx context.Context, i int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	places := make(chan struct{}, most)
	var wait sync.WaitGroup
	for i := range n {
		places <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		wait.Go(func() {
			defer func() { <-places }()
			if err := f(ctx, i); err != nil {
				stop(err)
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}
