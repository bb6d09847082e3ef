// Package wasm is the portable backend of the sandbox: CPython compiled to WebAssembly, run by wazero. It works wherever parley does,
// without bubblewrap and without a Python of the machine's own. It is chosen with PARLEY_SANDBOX=wasm.
//
//	func main() {
//		wasm.ServeIfChild() // first of all: a process that this package started does nothing else
//		…
//	}
//
// A program gets an interpreter of its own with no files, no sockets, no processes and no environment: WebAssembly has no way to any
// of them. Its memory is bounded by the machine that wazero makes for it. wazero cannot stop a program in the middle of a loop. So
// programs run in a child process, a copy of the running executable, which is killed at the deadline. The time that the interpreter
// takes to start does not count. Programs are slower here than under bubblewrap: each starts an interpreter, and compiled loops run
// several times longer.
//
// Two programs that talk with each other ([sandbox.Joiner]) run in one child, each in a machine of its own. All that they share is a
// channel, which both see as a file, and the deadline. If the child breaks or hangs, both programs fail.
//
// The interpreter is a file of 26 MB that is no part of parley: [Interpreter] says which one, and checks its hash.
package wasm

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"parley/task/sandbox"
)

// Name is that of the backend.
const Name = "wasm"

func init() { sandbox.Register(Name, Open) }

const (
	readyTime = 2 * time.Minute // for a child to compile Python, which happens once a machine
	startTime = time.Minute     // for an interpreter to start before its program, on a machine with other work
	graceTime = 2 * time.Second // for the second of two joined programs to end after the first
)

// A machine is the backend: a fixed number of children.
type machine struct {
	file    string
	modules []sandbox.Module
	slots   chan *process // a slot with nil has no child yet
	closed  context.Context
	close   context.CancelFunc
	once    sync.Once // of closing
}

// Open starts a child, which proves that the interpreter works here. Otherwise the error is an [*sandbox.Unavailable].
func Open(ctx context.Context, o sandbox.Options) (sandbox.Backend, error) {
	file, _, err := Interpreter()
	if err != nil {
		return nil, err
	}
	return open(ctx, file, o)
}

// open starts the first child, whose interpreter is that of a file.
func open(ctx context.Context, file string, o sandbox.Options) (sandbox.Backend, error) {
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	m := &machine{file: file, modules: o.Modules, slots: make(chan *process, workers)}
	m.closed, m.close = context.WithCancel(context.Background())
	first, err := start(ctx)
	if err != nil {
		return nil, &sandbox.Unavailable{Reason: err.Error(), Remedy: "see whether the machine has 1 GiB of memory to spare, and try again"}
	}
	m.slots <- first
	for range workers - 1 {
		m.slots <- nil
	}
	return m, nil
}

// String implements [sandbox.Backend].
func (m *machine) String() string {
	return fmt.Sprintf("WebAssembly, Python %s of %s", version, m.file)
}

// Run implements [sandbox.Backend].
func (m *machine) Run(ctx context.Context, p sandbox.Program) (sandbox.Result, error) {
	if p.Channel != nil {
		p.Channel.Close()
		return sandbox.Result{}, errors.New("run a program: the WebAssembly sandbox has no channels from outside, it joins two programs")
	}
	return m.run(ctx, m.request(p), p.Limits)
}

// Join implements [sandbox.Joiner]. Both programs are run by one child, each in a machine of its own: they share no more with each other
// than with the child. It is killed where one of them outlives the first.
func (m *machine) Join(ctx context.Context, first, second sandbox.Program) (sandbox.Result, error) {
	r := m.request(first)
	other := m.request(second).Job
	r.Job.Joined, other.Joined, r.Second = true, true, &other
	return m.run(ctx, r, first.Limits)
}

// run has the next free child answer a request under the time limits of l.
func (m *machine) run(ctx context.Context, r request, l sandbox.Limits) (result sandbox.Result, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(m.closed, cancel)()
	var child *process
	select {
	case child = <-m.slots:
	case <-ctx.Done():
		return sandbox.Result{}, fmt.Errorf("run a program: %w", ctx.Err())
	}
	healthy := false
	defer func() {
		if child != nil && !healthy {
			child.stop()
			child = nil
		}
		m.slots <- child
	}()
	if err := ctx.Err(); err != nil {
		healthy = true
		return sandbox.Result{}, fmt.Errorf("run a program: %w", err)
	}
	if child == nil {
		var err error
		if child, err = start(ctx); err != nil {
			return sandbox.Result{}, fmt.Errorf("run a program: %w", err)
		}
	}
	granted, end := l.Budget.Begin(wall(l))
	if granted == 0 {
		healthy = true
		return sandbox.Result{Status: sandbox.TimedOut}, nil
	}
	defer func() { end(result.Status) }()
	result, healthy, err = child.run(ctx, r, granted)
	return result, err
}

func (m *machine) request(p sandbox.Program) request {
	j := job{Source: strings.ToValidUTF8(p.Source, "\uFFFD"), Argument: p.Argument, Modules: m.modules}
	return request{Job: j, Memory: p.Limits.Memory, Output: p.Limits.Output}
}

func wall(l sandbox.Limits) time.Duration {
	if l.Wall == 0 {
		return sandbox.DefaultWall
	}
	return l.Wall
}

// Close implements [sandbox.Backend].
func (m *machine) Close() error {
	m.once.Do(func() {
		m.close()
		for range cap(m.slots) {
			if child := <-m.slots; child != nil {
				child.stop()
			}
		}
	})
	return nil
}
