package code

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"

	"parley/task/sandbox"
)

//go:embed python/*.py
var pythonFiles embed.FS

// Sandboxes run submissions. Its two pools never mix: one runs what agents wrote, the other tests and analyses.
type Sandboxes struct {
	programs *sandbox.Pool
	trusted  *sandbox.Pool
	slots    chan struct{} // one for each worker of a pool: a test that has one never waits for a worker
}

// OpenSandboxes starts the sandboxes: workers tests run at once, 0 for one per core. Programs find more modules beside this package's own.
// Where isolation is not possible the error is a [*sandbox.Unavailable].
func OpenSandboxes(ctx context.Context, workers int, more ...sandbox.Module) (*Sandboxes, error) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	modules, err := ownModules()
	if err != nil {
		return nil, err
	}
	o := sandbox.Options{Workers: workers, Modules: append(modules, more...)}
	l := &Sandboxes{slots: make(chan struct{}, workers)}
	if l.programs, err = sandbox.Open(ctx, o); err != nil {
		return nil, err
	}
	if l.trusted, err = sandbox.Open(ctx, o); err != nil {
		l.programs.Close()
		return nil, err
	}
	return l, nil
}

// Trusted runs a program of parley's own.
func (l *Sandboxes) Trusted(ctx context.Context, p sandbox.Program) (sandbox.Result, error) {
	return l.untilFound(func() (sandbox.Result, error) { return l.trusted.Run(ctx, p) })
}

// Untrusted runs what agents wrote.
func (l *Sandboxes) Untrusted(ctx context.Context, p sandbox.Program) (sandbox.Result, error) {
	return l.untilFound(func() (sandbox.Result, error) { return l.programs.Run(ctx, p) })
}

// Joined runs a test of parley's own and what agents wrote, with a channel between them. The result is the test's.
func (l *Sandboxes) Joined(ctx context.Context, test, program sandbox.Program) (sandbox.Result, error) {
	return l.untilFound(func() (sandbox.Result, error) { return l.join(ctx, test, program) })
}

// untilFound runs something when a worker is free for it, and once more where its worker was lost.
func (l *Sandboxes) untilFound(run func() (sandbox.Result, error)) (sandbox.Result, error) {
	l.slots <- struct{}{}
	defer func() { <-l.slots }()
	r, err := run()
	if err == nil && r.Status == sandbox.Lost {
		r, err = run()
	}
	return r, err
}

// quick says that programs start in milliseconds: an audit beside the standard reward then costs little.
func (l *Sandboxes) quick() bool { return l.programs.Name == sandbox.DefaultBackend }

// Close ends all sandboxes.
func (l *Sandboxes) Close() error { return errors.Join(l.programs.Close(), l.trusted.Close()) }

// ownModules are this package's Python files, by the names that they import each other with, in the order of need.
func ownModules() ([]sandbox.Module, error) {
	var list []sandbox.Module
	for _, name := range []string{"structure", "response", "extract", "cooperation", "published", "fault", "wire", "calls", "together", "examine"} {
		source, err := fs.ReadFile(pythonFiles, path.Join("python", name+".py"))
		if err != nil {
			return nil, fmt.Errorf("read the program's own Python: %w", err)
		}
		list = append(list, sandbox.Module{Name: "parley_" + name, Source: string(source)})
	}
	return list, nil
}

// join runs a test and the program that it is about in two sandboxes with a channel between them, until the test ends. The result is
// the test's own, or that a sandbox was lost or the program's time was up. How the program ends says nothing else: the test decides.
func (l *Sandboxes) join(ctx context.Context, test, program sandbox.Program) (sandbox.Result, error) {
	if j, ok := l.programs.Backend.(sandbox.Joiner); ok {
		return j.Join(ctx, test, program)
	}
	var err error
	if test.Channel, program.Channel, err = sandbox.SocketPair(); err != nil {
		return sandbox.Result{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	served := make(chan sandbox.Status, 1)
	go func() {
		r, _ := l.programs.Run(ctx, program) // its end is asked for below
		served <- r.Status
	}()
	r, err := l.trusted.Run(ctx, test)
	cancel()
	if status := <-served; status == sandbox.Lost || status == sandbox.TimedOut && !r.OK() {
		r.Status = status
	}
	return r, err
}
