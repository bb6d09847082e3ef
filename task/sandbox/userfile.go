package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"parley/internal/plainfile"
	"parley/internal/service"
)

// Grace is what Python has to tell of its own lateness.
const Grace = time.Second

// tries bounds how often a call is made whose sandbox is lost, which is the machine's fault or the file's.
const tries = 2

// A UserFile is a Python file of the user's. Each call of it runs in a sandbox that knows nothing of the calls before.
type UserFile struct {
	Name, Source string
	Deadline     time.Duration // of a call

	pool    *Pool
	program string
	limits  Limits
}

// OpenUserFile reads a file and starts the sandboxes. driver is what goes between the file and parley, a module of that name, whose function once gets
// the argument of a call and prints what comes of it: at most so many bytes.
func OpenUserFile(ctx context.Context, file, module, driver string, deadline time.Duration, memory int64, longest int) (*UserFile, error) {
	source, err := plainfile.Read(file)
	if err != nil {
		return nil, err
	}
	pool, err := Open(ctx, Options{Modules: []Module{{Name: module, Source: service.PythonDriver(driver)}}})
	if err != nil {
		return nil, err
	}
	return &UserFile{
		Name: filepath.Base(file), Source: string(source), Deadline: deadline,
		pool: pool, program: "import " + module + "\n" + module + ".once(argument)", limits: Limits{Wall: deadline + Grace, Memory: memory, Output: longest},
	}, nil
}

// Call makes one call. How it ends is in the reply.
func (f *UserFile) Call(ctx context.Context, argument any) (service.Reply, error) {
	var r Result
	for range tries {
		var err error
		r, err = f.pool.Run(ctx, Program{Source: f.program, Argument: argument, Limits: f.limits})
		if err != nil {
			return service.Reply{}, err
		}
		if r.Status != Lost {
			break
		}
	}
	if r.OK() && json.Valid(r.Stdout) {
		return service.Reply{Body: r.Stdout}, nil
	}
	return service.Reply{Err: fmt.Errorf("%s: %s", f.Name, r.Failure(f.Deadline, f.limits.Output))}, nil
}

// Failure says how a call ended that has no answer: it had so much time, and room for so many bytes.
func (r Result) Failure(deadline time.Duration, longest int) string {
	switch r.Status {
	case TimedOut:
		return fmt.Sprintf("no answer within %v", deadline)
	case Signaled:
		return fmt.Sprintf("signal %d ended it", r.Code)
	case Lost:
		return "it took its sandbox with it"
	case Flooded:
		return fmt.Sprintf("its answer is longer than %d bytes", longest)
	}
	return strings.TrimSpace(fmt.Sprintf("it left the interpreter with exit code %d instead of returning\n%s", r.Code, r.Stderr))
}

// Close ends the sandboxes.
func (f *UserFile) Close() error { return f.pool.Close() }
