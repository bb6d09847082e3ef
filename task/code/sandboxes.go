package code

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"

	"parley/sandbox"
)

//go:embed python/*.py
var pythonFiles embed.FS

// Sandboxes run submissions. Its two pools never mix: one runs what agents wrote, the other tests and analyses.
type Sandboxes struct {
	programs *sandbox.Pool
	trusted  *sandbox.Pool
	slots    chan struct{} // one for each worker of a pool: a test that has one never waits for a worker
}

// OpenSandboxes starts the sandboxes: workers tests run at once, 0 for one per core. Where isolation is not possible the error is a
// [*sandbox.Unavailable].
func OpenSandboxes(ctx context.Context, workers int) (*Sandboxes, error) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	modules, err := Modules()
	if err != nil {
		return nil, err
	}
	o := sandbox.Options{Workers: workers, Modules: modules}
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

// quick says that programs start in milliseconds: an audit beside the standard reward then costs little.
func (l *Sandboxes) quick() bool { return l.programs.Name == sandbox.DefaultBackend }

// Close ends all sandboxes.
func (l *Sandboxes) Close() error { return errors.Join(l.programs.Close(), l.trusted.Close()) }

// Modules are this package's Python files, by the names that they import each other with, in the order of need.
func Modules() ([]sandbox.Module, error) {
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
