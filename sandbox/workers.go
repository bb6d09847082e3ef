//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
)

// A bubblewrap is the backend of warm workers under bubblewrap.
type bubblewrap struct {
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

// openBubblewrap starts the first worker.
func openBubblewrap(ctx context.Context, o Options) (Backend, error) {
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
	p := &bubblewrap{bwrap: bwrap, modules: o.Modules, slots: make(chan *worker, o.Workers), starts: make(chan func()), ended: make(chan struct{})}
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
func (p *bubblewrap) starter() {
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

func (p *bubblewrap) start() (*worker, error) {
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

// String implements [Backend].
func (p *bubblewrap) String() string {
	return fmt.Sprintf("bubblewrap at %s, Python %s at %s", p.bwrap, p.version, p.python.Executable)
}

// Run implements [Backend].
func (p *bubblewrap) Run(ctx context.Context, program Program) (Result, error) {
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

// Close implements [Backend].
func (p *bubblewrap) Close() error {
	p.close()
	<-p.ended
	return nil
}
