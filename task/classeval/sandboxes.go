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

// Sandboxes run classes. They may be used by several goroutines.
type Sandboxes struct {
	pool  *sandbox.Pool
	slots chan struct{} // one for each worker: a test that has one never waits for a worker
}

// OpenSandboxes starts the sandboxes: workers programs run at once, 0 for one per core. Where isolation is not possible the error is a
// [*sandbox.Unavailable].
func OpenSandboxes(ctx context.Context, workers int) (*Sandboxes, error) {
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
	return &Sandboxes{pool, make(chan struct{}, workers)}, nil
}

// Close ends the sandboxes.
func (l *Sandboxes) Close() error { return l.pool.Close() }

// run runs a program when a worker is free for it, and once more where its worker was lost.
func (l *Sandboxes) run(ctx context.Context, p sandbox.Program) (sandbox.Result, error) {
	l.slots <- struct{}{}
	defer func() { <-l.slots }()
	r, err := l.pool.Run(ctx, p)
	if err == nil && r.Status == sandbox.Lost {
		r, err = l.pool.Run(ctx, p)
	}
	return r, err
}
