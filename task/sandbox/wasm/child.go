package wasm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"parley/task/sandbox"
)

// childVariable marks a process that this package started.
const childVariable = "PARLEY_WASM_CHILD"

// ServeIfChild runs programs until stdin ends and exits, where this process was started for that. Elsewhere it does nothing.
func ServeIfChild() {
	if os.Getenv(childVariable) == "" {
		return
	}
	if err := serve(context.Background(), os.Stdin, os.Stdout, Interpreter); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve answers requests until in ends. load returns the interpreter that runs every program.
func serve(ctx context.Context, in io.Reader, out io.Writer, load func() (name string, code []byte, err error)) error {
	c := &child{out: json.NewEncoder(out)}
	var err error
	if _, c.code, err = load(); err == nil {
		c.cache, err = compilationCache()
	}
	if err == nil {
		err = c.prepare(ctx, mostPages)
	}
	if err != nil {
		return c.out.Encode(reply{Error: err.Error()})
	}
	if err := c.out.Encode(reply{}); err != nil {
		return err
	}
	neverStopped()
	requests, ended := make(chan request), make(chan error, 2)
	go func() { receive(in, requests); ended <- nil }()
	go func() { ended <- c.answers(ctx, requests) }()
	return <-ended
}

// receive passes on requests until the parent is gone, which ends this process whatever it is at.
func receive(in io.Reader, requests chan<- request) {
	for dec := json.NewDecoder(in); ; {
		var r request
		if dec.Decode(&r) != nil {
			return
		}
		requests <- r
	}
}

// neverStopped sees to it that a program in a loop, which never gives up its processor, holds up nobody else. Two programs leave a processor
// to what notices that the parent has ended. And the collector, which stops the whole process for a moment, and would wait for the loop's end
// with everything else stopped already, collects between programs only: see [tidy].
func neverStopped() {
	runtime.GOMAXPROCS(max(leastProcessors, runtime.GOMAXPROCS(0)))
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(mostGarbage)
	runtime.GC() // what has begun ends here
}

const (
	leastProcessors = 4         // of Go's scheduler: for two programs, for what listens, and one to spare
	mostGarbage     = 1 << 30   // bytes that wait for the end of programs; the calls of one make little
	keptBytes       = 192 << 20 // of them that may wait on, after it
)

// compilationCache keeps compiled code between processes: compiling takes seconds, reading it a part of one.
func compilationCache() (wazero.CompilationCache, error) {
	file, err := DefaultFile()
	if err != nil {
		return nil, err
	}
	return wazero.NewCompilationCacheWithDir(filepath.Join(filepath.Dir(file), "wasm"))
}

// A child is a process that runs one program after the other.
type child struct {
	code    []byte
	cache   wazero.CompilationCache
	pages   uint32 // that the runtime gives a program at most
	runtime wazero.Runtime
	module  wazero.CompiledModule
	out     *json.Encoder
	replies sync.Mutex // held by whoever writes one
}

const (
	pageBytes = 64 << 10
	mostPages = 512 << 20 / pageBytes // of a program with the default limit
)

// prepare makes a runtime whose programs have so many pages of memory.
func (c *child) prepare(ctx context.Context, pages uint32) error {
	if c.runtime != nil && c.pages == pages {
		return nil
	}
	if c.runtime != nil {
		_ = c.runtime.Close(ctx) // nothing runs in it
	}
	c.pages = pages
	c.runtime = wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCompilationCache(c.cache).WithMemoryLimitPages(pages).WithDebugInfoEnabled(false))
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, c.runtime); err != nil {
		return fmt.Errorf("prepare WebAssembly: %w", err)
	}
	var err error
	if c.module, err = c.runtime.CompileModule(ctx, c.code); err != nil {
		return fmt.Errorf("compile Python: %w", err)
	}
	return nil
}

// answers answers one request after the other.
func (c *child) answers(ctx context.Context, requests <-chan request) error {
	for r := range requests {
		if err := c.answer(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

func (c *child) answer(ctx context.Context, r request) error {
	pages := uint32(mostPages)
	if r.Memory > 0 {
		pages = uint32(min(r.Memory/pageBytes, 1<<16))
	}
	if err := c.prepare(ctx, pages); err != nil {
		return err
	}
	if r.Second != nil {
		return c.join(ctx, r)
	}
	i := instance{job: r.Job, stdout: c.bounded(r.Output), stderr: c.bounded(r.Output), begin: c.began}
	result := c.run(ctx, i)
	tidy()
	return c.reply(reply{Result: result})
}

// join runs two programs with a channel to each other. Each waits with its start until the other is ready or has ended.
func (c *child) join(ctx context.Context, r request) error {
	ours, theirs, err := channel()
	if err != nil {
		return err
	}
	ready, goAhead, ended := newSignal(), newSignal(), newSignal()
	go func() {
		defer ended.give()
		defer theirs.close()
		defer ready.give()
		begin := func() { ready.give(); goAhead.wait() }
		c.run(ctx, instance{job: *r.Second, channel: theirs, stdout: c.bounded(0), stderr: c.bounded(0), begin: begin})
	}()
	begin := func() { ready.wait(); c.began(); goAhead.give() }
	result := c.run(ctx, instance{job: r.Job, channel: ours, stdout: c.bounded(r.Output), stderr: c.bounded(r.Output), begin: begin})
	ours.close()
	err = c.reply(reply{Result: result})
	goAhead.give()
	ended.wait()
	tidy()
	return errors.Join(err, c.reply(reply{}))
}

// A signal is given once, or more often to the same effect.
type signal struct {
	given chan struct{}
	give  func()
}

func newSignal() signal {
	given := make(chan struct{})
	return signal{given, sync.OnceFunc(func() { close(given) })}
}

func (s signal) wait() { <-s.given }

// tidy collects garbage, while no program runs.
func tidy() {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	if now.HeapAlloc > keptBytes {
		debug.FreeOSMemory()
	}
}

func (c *child) reply(r reply) error {
	c.replies.Lock()
	defer c.replies.Unlock()
	return c.out.Encode(r)
}

// began tells the parent that the time of what it asked for runs.
func (c *child) began() { _ = c.reply(reply{Began: true}) } // without a parent nobody waits

// flooded answers for a program that writes too much, and never lets it go on: the parent kills this process.
func (c *child) flooded() {
	c.replies.Lock()
	_ = c.out.Encode(reply{Result: sandbox.Result{Status: sandbox.Flooded}}) // without a parent nobody waits
	select {}
}
