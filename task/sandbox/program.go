package sandbox

import (
	"fmt"
	"os"
	"time"
)

// A Program is one Python program and what it may use.
type Program struct {
	Source   string
	Argument any      // any value of JSON: the program finds it as the global argument
	Channel  *os.File // such as one end of a socket pair; the program finds its descriptor as the global channel; nil: none
	Limits   Limits
}

// Limits bound one run. A field that is 0 has the default named beside it; Output has none.
type Limits struct {
	Wall      time.Duration // seconds of the clock: 10
	Memory    int64         // bytes of address space of each process: 512 MiB
	Output    int           // bytes of stdout and of stderr: a program that writes more is killed; 0: both are discarded
	Processes int           // processes and threads, the program's own included: 1
	FileSize  int64         // bytes of a file: 16 MiB
	Budget    *Budget       // time that the program shares with others; nil: only Wall counts
}

// DefaultWall is the deadline of programs whose limits say nothing.
const DefaultWall = 10 * time.Second

const (
	defaultMemory   = 512 << 20
	defaultFileSize = 16 << 20
)

func (l Limits) withDefaults() Limits {
	if l.Wall == 0 {
		l.Wall = DefaultWall
	}
	if l.Memory == 0 {
		l.Memory = defaultMemory
	}
	if l.Processes == 0 {
		l.Processes = 1
	}
	if l.FileSize == 0 {
		l.FileSize = defaultFileSize
	}
	return l
}

// A Status says how a program ended.
type Status string

const (
	Exited   Status = "exited"   // by itself, with Result.Code
	Signaled Status = "signaled" // by a signal, Result.Code, such as a crash
	TimedOut Status = "timeout"  // killed at its deadline
	Flooded  Status = "output"   // killed because it wrote more than Limits.Output
	Lost     Status = "lost"     // its worker died or did not answer; a new one takes its place
)

// A Result is what a program left.
type Result struct {
	Status Status
	Code   int // exit code, or number of the signal
	Stdout []byte
	Stderr []byte
}

// OK reports whether the program ended by itself with exit code 0.
func (r Result) OK() bool { return r.Status == Exited && r.Code == 0 }

// Options describe a pool.
type Options struct {
	Workers int      // most programs at once; 0: one per core
	Backend string   // bubblewrap or wasm; empty: what PARLEY_SANDBOX names, else bubblewrap
	Modules []Module // trusted; every worker imports them once, in this order, and programs may import them

	shared bool // for tests: workers may not make namespaces
}

// A Module is a Python module by its name.
type Module struct {
	Name   string `json:"name"`
	Source string `json:"source"`
}

// An Unavailable error says why nothing can be run here and what to do about it.
type Unavailable struct {
	Reason string
	Remedy string
}

func (e *Unavailable) Error() string {
	return fmt.Sprintf("sandbox for untrusted programs: %s; %s", e.Reason, e.Remedy)
}
