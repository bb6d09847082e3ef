package sandbox

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// ProgramSource is the Python with which every backend runs a program: load(modules), then program(source, argument).
//
//go:embed python/program.py
var ProgramSource string

// A Backend isolates programs in one way. Its methods are safe for concurrent use.
type Backend interface {
	// Run runs a program on the next free worker. How the program ends is never an error; an error says that it was not run, that
	// ctx ended, or that the backend was closed. The program's channel is closed.
	Run(ctx context.Context, p Program) (Result, error)
	// Close kills what runs, ends all workers and waits for that.
	Close() error
	// String says what runs programs: versions and places.
	String() string
}

// A Joiner is a backend that has no channels from outside ([Program.Channel]): it joins two programs itself.
type Joiner interface {
	// Join runs two programs at once, each with an isolation of its own, joined by a channel whose descriptor both find as the global
	// channel. Both are under the limits of the first, and end when it does. The result is that of the first.
	Join(ctx context.Context, first, second Program) (Result, error)
}

// A Lacking is a backend that may have to do without something on a machine.
type Lacking interface {
	// Lacks says what that is. Isolation holds all the same.
	Lacks() []Lack
}

// A Lack is something that a machine does not have.
type Lack struct{ Name, Reason, Remedy string }

// A Pool runs programs on a fixed number of workers. It may be used by any number of goroutines.
type Pool struct {
	Backend
	Name string // of the backend
}

// DefaultBackend is that of machines where nobody says otherwise.
const DefaultBackend = "bubblewrap"

// BackendVariable is the environment variable that names the backend.
const BackendVariable = "PARLEY_SANDBOX"

// backends open by name.
var backends = map[string]func(context.Context, Options) (Backend, error){DefaultBackend: openBubblewrap}

// Register adds a backend that is a package of its own. It is called before any pool is opened.
func Register(name string, open func(context.Context, Options) (Backend, error)) {
	backends[name] = open
}

// Open starts a pool and its first worker, which proves that isolation works here. Otherwise the error is an [*Unavailable]. The
// backend is bubblewrap, or what PARLEY_SANDBOX names; there is no other in its place.
func Open(ctx context.Context, o Options) (*Pool, error) {
	if o.Backend == "" {
		o.Backend = os.Getenv(BackendVariable)
	}
	if o.Backend == "" {
		o.Backend = DefaultBackend
	}
	open, known := backends[o.Backend]
	if !known {
		names := strings.Join(slices.Sorted(maps.Keys(backends)), ", ")
		return nil, &Unavailable{fmt.Sprintf("%s is %q", BackendVariable, o.Backend), "write one of " + names}
	}
	b, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	return &Pool{b, o.Backend}, nil
}
