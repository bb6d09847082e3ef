//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
)

// A Pool runs programs on a fixed number of warm workers. It may be used by any number of goroutines.
type Pool struct {
	bwrap   string
	python  interpreter
	modules []Module
	version string
	slots   chan *worker // a slot with nil has no worker yet
	starts  chan func()
	closed  context.Context
	close   context.CancelFunc
	ended   chan struct{} // all workers have
}

// Open starts a pool and its first worker, which proves that isolation works here. Otherwise the error is an [*Unavailable].
func Open(ctx context.Context, o Options) (*Pool, error) {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, &Unavailable{"bwrap is not installed", installBubblewrap}
	}
	candidates := interpreters(ctx)
	if len(candidates) == 0 {
		return nil, &Unavailable{"there is no python3 that programs without privileges can start", installPython}
	}
	p := &Pool{bwrap: bwrap, modules: o.Modules, slots: make(chan *worker, o.Workers), starts: make(chan func()), ended: make(chan struct{})}
	for range o.Workers {
		p.slots <- nil
	}
	p.closed, p.close = context.WithCancel(context.Background())
	go p.starter()
	var w *worker
	var reasons []error
	for _, p.python = range candidates {
		if w, err = p.start(); err == nil {
			break
		}
		reasons = append(reasons, fmt.Errorf("%s: %w", p.python.Executable, err))
	}
	if w == nil {
		p.Close()
		return nil, &Unavailable{errors.Join(reasons...).Error(), installBubblewrap}
	}
	p.version = w.python
	<-p.slots
	p.slots <- w
	return p, nil
}

// starter runs what starts workers on one thread: bubblewrap ends with the thread that started it, so that must be one which
// lives as long as the pool.
func (p *Pool) starter() {
	runtime.LockOSThread()
	defer close(p.ended)
	for {
		select {
		case f := <-p.starts:
			f()
		case <-p.closed.Done():
			for range cap(p.slots) {
				if w := <-p.slots; w != nil {
					w.stop()
				}
			}
			return
		}
	}
}

func (p *Pool) start() (*worker, error) {
	return startWorker(p.bwrap, p.python, p.modules, func(f func() error) (err error) {
		done := make(chan struct{})
		select {
		case p.starts <- func() { err = f(); close(done) }:
			<-done
		case <-p.closed.Done():
			err = context.Cause(p.closed)
		}
		return err
	})
}

// String says what runs programs: versions and places.
func (p *Pool) String() string {
	return fmt.Sprintf("bubblewrap at %s, Python %s at %s", p.bwrap, p.version, p.python.Executable)
}

// Run runs a program on the next free worker. How the program ends is never an error; an error says that it was not run, that
// ctx ended, or that the pool was closed. The program's channel is closed.
func (p *Pool) Run(ctx context.Context, program Program) (Result, error) {
	if program.Channel != nil {
		defer program.Channel.Close()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.closed, cancel)()
	if err := ctx.Err(); err != nil {
		return Result{}, fmt.Errorf("run a program: %w", err)
	}
	var w *worker
	select {
	case w = <-p.slots:
	case <-ctx.Done():
		return Result{}, fmt.Errorf("run a program: %w", ctx.Err())
	}
	var healthy bool
	defer func() {
		if w != nil && !healthy {
			w.stop()
			w = nil
		}
		p.slots <- w
	}()
	if w == nil {
		var err error
		if w, err = p.start(); err != nil {
			return Result{}, fmt.Errorf("run a program: %w", err)
		}
	}
	result, healthy, err := w.run(ctx, program)
	if err != nil {
		err = fmt.Errorf("run a program: %w", err)
	}
	return result, err
}

// Close kills what runs, ends all workers and waits for that.
func (p *Pool) Close() error {
	p.close()
	<-p.ended
	return nil
}
