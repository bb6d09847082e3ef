package wasm

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/sys"

	"parley/task/sandbox"
)

//go:embed python/driver.py
var driver string

// An instance is one program with an interpreter and a memory of its own.
type instance struct {
	job            job
	channel        *channelEnd // nil: none
	stdout, stderr *bounded
	begin          func() // called when the interpreter has started; the program begins when it returns
}

// run runs a program to its end.
func (c *child) run(ctx context.Context, i instance) sandbox.Result {
	stdin, err := json.Marshal(i.job)
	if err != nil {
		return sandbox.Result{Status: sandbox.Lost} // it came as JSON
	}
	config := wazero.NewModuleConfig().WithName("").WithArgs("python", "-I", "-c", sandbox.ProgramSource+"\n\n"+driver).WithEnv("PYTHONHASHSEED", "0").
		WithStdin(&cue{in: bytes.NewReader(append(stdin, '\n')), begin: i.begin}).WithStdout(i.stdout).WithStderr(i.stderr).
		WithSysWalltime().WithSysNanotime().WithSysNanosleep()
	if i.channel != nil {
		config = withFolder(config, i.channel)
	}
	module, err := c.runtime.InstantiateModule(outsideHeap(ctx), c.module, config)
	if module != nil {
		_ = module.Close(ctx) // it has ended
	}
	result := ending(err)
	result.Stdout, result.Stderr = i.stdout.data, i.stderr.data
	return result
}

// ending says how a program ended. An error that is no exit is a trap of the machine, such as a stack overflow.
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

// A cue is the standard input of a program: one line, which has all that the program needs. When the program reads past it, it
// begins, and begin is called.
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

// bounded keeps what is written to it, up to a number of bytes; 0: nothing is kept and everything is fine.
type bounded struct {
	most  int
	data  []byte
	flood func()
}

func (c *child) bounded(most int) *bounded { return &bounded{most: most, flood: c.flooded} }

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
