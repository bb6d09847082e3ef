package wasm

import (
	"bytes"
	"context"
	_ "embed"
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
	"github.com/tetratelabs/wazero/sys"

	"parley/sandbox"
)

// childVariable marks a process that this package started.
const childVariable = "PARLEY_WASM_CHILD"

//go:embed python/driver.py
var driver string

// ServeIfChild runs programs until stdin ends and exits, where this process was started for that. Elsewhere it does nothing.
func ServeIfChild() {
	if os.Getenv(childVariable) == "" {
		return
	}
	if err := serve(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func serve(ctx context.Context, in io.Reader, out io.Writer) error {
	c := &child{out: json.NewEncoder(out)}
	var err error
	if _, c.code, err = Interpreter(); err == nil {
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
	for requests := json.NewDecoder(in); ; {
		var r request
		if err := requests.Decode(&r); err != nil {
			return nil // the parent is gone
		}
		if err := c.answer(ctx, r); err != nil {
			return err
		}
	}
}

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
	answers sync.Mutex // held by whoever answers
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

// answer runs one program.
func (c *child) answer(ctx context.Context, r request) error {
	pages := uint32(mostPages)
	if r.Memory > 0 {
		pages = uint32(min(r.Memory/pageBytes, 1<<16))
	}
	if err := c.prepare(ctx, pages); err != nil {
		return err
	}
	stdin, err := json.Marshal(r.Job)
	if err != nil {
		return err
	}
	stdout, stderr := &bounded{most: r.Output, flood: c.flooded}, &bounded{most: r.Output, flood: c.flooded}
	config := wazero.NewModuleConfig().WithName("").WithArgs("python", "-I", "-c", sandbox.ProgramSource+"\n\n"+driver).WithEnv("PYTHONHASHSEED", "0").
		WithStdin(&cue{in: bytes.NewReader(append(stdin, '\n')), begin: c.began}).WithStdout(stdout).WithStderr(stderr).WithSysWalltime().WithSysNanotime().WithSysNanosleep()
	module, err := c.runtime.InstantiateModule(ctx, c.module, config)
	if module != nil {
		_ = module.Close(ctx) // it has ended
	}
	tidy()
	result := ending(err)
	result.Stdout, result.Stderr = stdout.data, stderr.data
	c.answers.Lock()
	defer c.answers.Unlock()
	return c.out.Encode(reply{Result: result})
}

// keptBytes is how much memory may wait for the collector between programs.
const keptBytes = 192 << 20

// tidy gives back what a large program took, before the next one takes as much beside it.
func tidy() {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	if now.HeapAlloc > keptBytes {
		debug.FreeOSMemory()
	}
}

// ending says how a program ended. What is no exit is a trap of the machine, such as the end of its stack.
func ending(err error) sandbox.Result {
	var exit *sys.ExitError
	switch {
	case err == nil:
		return sandbox.Result{Status: sandbox.Exited}
	case errors.As(err, &exit):
		return sandbox.Result{Status: sandbox.Exited, Code: int(exit.ExitCode())}
	}
	return sandbox.Result{Status: sandbox.Signaled, Code: abort}
}

const abort = 6 // the signal of a process that ends itself in an emergency

// A cue is the standard input of a program: one line, at whose end all is there that the program needs. That somebody reads on is
// the sign that it begins.
type cue struct {
	in    *bytes.Reader
	begin func()
	once  sync.Once
}

// Read implements [io.Reader].
func (c *cue) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	if err == io.EOF {
		c.once.Do(c.begin)
	}
	return n, err
}

// began tells the parent that the time of a program runs.
func (c *child) began() {
	c.answers.Lock()
	defer c.answers.Unlock()
	_ = c.out.Encode(reply{Began: true}) // without a parent nobody waits
}

// flooded answers for a program that writes too much, and never lets it go on: the parent kills this process.
func (c *child) flooded() {
	c.answers.Lock()
	_ = c.out.Encode(reply{Result: sandbox.Result{Status: sandbox.Flooded}}) // without a parent nobody waits
	select {}
}

// bounded keeps what is written to it, up to a number of bytes; 0: nothing is kept and everything is fine.
type bounded struct {
	most  int
	data  []byte
	flood func()
}

// Write implements [io.Writer].
func (b *bounded) Write(p []byte) (int, error) {
	if b.most > 0 {
		if len(b.data)+len(p) > b.most {
			b.flood()
		}
		b.data = append(b.data, bytes.Clone(p)...)
	}
	return len(p), nil
}
