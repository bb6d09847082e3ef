// Package executor runs programs that a team wrote, and says in a line how they did (LessonL, arXiv 2505.23946, §3): which of some tests they pass, or
// how much faster than a source they are.
//
//	e, err := executor.Open(ctx, executor.Settings{})
//	r, err := e.Tests(ctx, executor.TestJob{Program: "def f(x): return x", Tests: "assert f(1) == 1"}) // passed 1 of 1
//
//	executor.go  the sandbox, and what one run of it says     [Open]
//	tests.go     assertions, one run each                     [Executor.Tests]
//	speed.go     processor time beside that of the source     [Executor.Speed], [Executor.Compare]
//	job.go       what an agent is sent, in JSON               [Executor.Run]
//	task.go      the task of programs that shall be faster    [Speedup]
//
// Programs are Python, and run in the sandbox, which has no compiler: programs in C cannot be run there. A program that hangs, crashes or floods has an
// outcome. A sandbox that is lost, or does not answer in time, is an error: the program is not to blame for it.
package executor

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"time"

	"parley/internal/service/web"
	"parley/task/sandbox"
	"parley/team"
)

//go:embed python/executor.py
var source string

// Settings bound what programs may use.
type Settings struct {
	Wall     time.Duration // of one run of a program; 0: [sandbox.DefaultWall]
	Deadline time.Duration // of everything that is done for one answer; 0: none
	Memory   int64         // bytes; 0: that of the sandbox
	Workers  int           // programs at once; 0: one per core
}

// An Executor runs programs. It may be used by any number of goroutines: measurements of speed are made one after the other.
type Executor struct {
	settings Settings
	pool     *sandbox.Pool
	clock    chan struct{} // held by who measures speed
}

// Open starts the sandbox. Where programs cannot be isolated the error is a [*sandbox.Unavailable].
func Open(ctx context.Context, s Settings) (*Executor, error) {
	pool, err := sandbox.Open(ctx, sandbox.Options{Workers: s.Workers, Modules: []sandbox.Module{{Name: "parley_executor", Source: source}}})
	if err != nil {
		return nil, err
	}
	return &Executor{settings: s, pool: pool, clock: make(chan struct{}, 1)}, nil
}

// Close ends the sandbox.
func (e *Executor) Close() error { return e.pool.Close() }

// mostOutput bounds what one run says, in bytes.
const mostOutput = 4 << 20

// run calls a function of executor.py and reads its last line into out. ended says why there is none: that is an outcome of the program.
func (e *Executor) run(ctx context.Context, function string, argument, out any) (ended string, err error) {
	p := sandbox.Program{
		Source: "import parley_executor\nparley_executor." + function + "(argument)", Argument: argument,
		Limits: sandbox.Limits{Wall: e.settings.Wall, Memory: e.settings.Memory, Output: mostOutput},
	}
	r, err := e.pool.Run(ctx, p)
	if err == nil && r.Status == sandbox.Lost {
		r, err = e.pool.Run(ctx, p)
	}
	switch {
	case err != nil:
		return "", err
	case r.Status == sandbox.Lost:
		return "", errors.New("the sandbox was lost twice")
	case r.Status == sandbox.TimedOut:
		return "it does not end in time", nil
	case r.Status == sandbox.Flooded:
		return "it prints too much", nil
	case !r.OK():
		return "it crashes", nil
	}
	text := bytes.TrimSpace(r.Stdout)
	if json.Unmarshal(text[bytes.LastIndexByte(text, '\n')+1:], out) != nil {
		return "it ends before it has answered", nil
	}
	return "", nil
}

// A verdict is what one run says.
type verdict struct {
	Stage   string  `json:"stage"` // define, test or run: where an error was; passed; measured
	Error   string  `json:"error"`
	Seconds float64 `json:"seconds"`
	Outputs []any   `json:"outputs"`
}

// This file lets the executor of programs speak in a team: its message is a job, and what it says is the report (package executor).

// Speaker implements [team.Speaker].
type Speaker struct {
	*Executor
	way string // [executor.ByTests] or [executor.BySpeed]
}

// Speak starts the sandbox of an executor that runs programs in a way.
func Speak(ctx context.Context, way string, s Settings) (*Speaker, error) {
	e, err := Open(ctx, s)
	if err != nil {
		return nil, err
	}
	return &Speaker{e, way}, nil
}

// Kind implements [team.Speaker].
func (*Speaker) Kind() string { return "executor" }

// Speak implements [team.Speaker]. An executor that fails, or hangs, fails its episode alone.
func (s *Speaker) Speak(ctx context.Context, asks []team.SpeakerAsk) ([]team.Reply, error) {
	replies := make([]team.Reply, len(asks))
	web.Each(len(asks), len(asks), func(i int) {
		replies[i].Text, replies[i].Err = s.Run(ctx, s.way, asks[i].Messages[len(asks[i].Messages)-1].Content)
	})
	return replies, ctx.Err()
}
