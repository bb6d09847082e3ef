package classeval

import (
	"context"
	_ "embed"
	"runtime"

	"parley/sandbox"
	"parley/task/code"
)

//go:embed python/classes.py
var classes string

// A Lab runs classes. It may be used by several goroutines.
type Lab struct {
	pool  *sandbox.Pool
	seats chan struct{} // one for each worker: a test that has one never waits for a worker
}

// OpenLab starts the sandboxes: workers programs run at once, 0 for one per core. Where isolation is not possible the error is a
// [*sandbox.Unavailable].
func OpenLab(ctx context.Context, workers int) (*Lab, error) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	modules, err := code.Modules()
	if err != nil {
		return nil, err
	}
	pool, err := sandbox.Open(ctx, sandbox.Options{Workers: workers, Modules: append(modules, sandbox.Module{Name: "parley_classes", Source: classes})})
	if err != nil {
		return nil, err
	}
	return &Lab{pool, make(chan struct{}, workers)}, nil
}

// Close ends the sandboxes.
func (l *Lab) Close() error { return l.pool.Close() }

// run runs a program when a worker is free for it, and once more where its worker was lost.
func (l *Lab) run(ctx context.Context, p sandbox.Program) (sandbox.Result, error) {
	l.seats <- struct{}{}
	defer func() { <-l.seats }()
	r, err := l.pool.Run(ctx, p)
	if err == nil && r.Status == sandbox.Lost {
		r, err = l.pool.Run(ctx, p)
	}
	return r, err
}
