package classeval

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"time"

	"parley/task"
	"parley/task/code"
	"parley/task/sandbox"
)

// A budget bounds the unit tests of one class.
type budget struct{ perTest, perClass time.Duration }

// usual is the published one (§8).
var usual = budget{40 * time.Second, 125 * time.Second}

const (
	mostTimeOuts = 3
	memory       = 1 << 30 // bytes of one test

	// A test that failed while the clock's second changed ends with askAgain (CODES of task/code/python/together.py), and is tried this often
	// in all.
	askAgain  = 3
	mostTries = 3
)

// analysis is what the syntax of all responses says.
type analysis struct {
	Agents   []Contribution `json:"agents"`
	Program  string         `json:"program"`
	Compiles bool           `json:"compiles"`
	Fault    string         `json:"fault"` // why it does not
	Tests    [][2]string    `json:"tests"` // class and method
}

// analyze takes the responses apart and merges them. Responses that break Python's own parser have no methods.
func (l *Sandboxes) analyze(ctx context.Context, it item, responses []string) (analysis, error) {
	r, err := l.Trusted(ctx, sandbox.Program{
		Source: "import json, parley_classes\nprint(json.dumps(parley_classes.examine(argument)))",
		Argument: struct {
			item
			Responses []string `json:"responses"`
		}{it, responses},
		Limits: sandbox.Limits{Output: 16 << 20},
	})
	if err != nil {
		return analysis{}, fmt.Errorf("take classes apart: %w", err)
	}
	var e analysis
	if !r.OK() || json.Unmarshal(r.Stdout, &e) != nil {
		return analysis{Agents: make([]Contribution, len(responses))}, nil
	}
	return e, nil
}

// A Tally counts the unit tests of a class. Tests that did not run, because too many before them were too slow, count as failed.
type Tally struct {
	Passed, Run, TimeOuts int
}

// test runs the unit tests of a class, each in a process of its own.
func (l *Sandboxes) test(ctx context.Context, b budget, it item, e analysis, v task.RewardVariant) (Tally, error) {
	run := l.inProcess
	if v == task.Robust {
		run = l.isolated
	}
	t := Tally{Run: len(e.Tests)}
	err := each(ctx, b, it, e, run, func(_ int, r sandbox.Result) {
		switch {
		case r.Status == sandbox.TimedOut:
			t.TimeOuts++
		case r.OK():
			t.Passed++
		}
	})
	if err != nil {
		return Tally{}, err
	}
	return t, nil
}

// A unitTest is what is run of a class.
type unitTest struct {
	Entry   string   `json:"entry"` // the class
	Program string   `json:"program"`
	Imports []string `json:"imports"` // of the item: its tests may use them
	Tests   string   `json:"tests"`
	Class   string   `json:"class"` // of the test
	Method  string   `json:"method"`
}

// about is the test without the program.
func (u unitTest) about() unitTest {
	u.Program = ""
	return u
}

// subject is the program without the test.
func (u unitTest) subject() unitTest { return unitTest{Entry: u.Entry, Program: u.Program} }

func program(function string, u unitTest, l sandbox.Limits) sandbox.Program {
	return sandbox.Program{Source: "import parley_classes\nparley_classes." + function, Argument: u, Limits: l}
}

// inProcess runs a unit test in the class's own process. A notary in another sandbox is told how it ends.
func (l *Sandboxes) inProcess(ctx context.Context, u unitTest, limits sandbox.Limits) (sandbox.Result, error) {
	notary := sandbox.Program{Source: "import parley_together\nparley_together.notarize(argument, channel)", Argument: u.about(), Limits: limits}
	return l.Joined(ctx, notary, program("test(argument, channel)", u.subject(), limits))
}

// isolated runs a unit test in one sandbox and the class in another.
func (l *Sandboxes) isolated(ctx context.Context, u unitTest, limits sandbox.Limits) (sandbox.Result, error) {
	subject := sandbox.Program{Source: "import parley_remote\nparley_remote.serve(argument, channel)", Argument: u.subject(), Limits: limits}
	return l.Joined(ctx, program("judge(argument, channel)", u.about(), limits), subject)
}

// reported runs a unit test in the class's own process, which prints how it fails.
func (l *Sandboxes) reported(ctx context.Context, u unitTest, limits sandbox.Limits) (sandbox.Result, error) {
	limits.Output = 64 << 10
	return l.Untrusted(ctx, program("report(argument)", u, limits))
}

// each runs the unit tests of a class and hands over how each ended, until too many were too slow.
func each(ctx context.Context, b budget, it item, e analysis, run func(context.Context, unitTest, sandbox.Limits) (sandbox.Result, error), ended func(i int, r sandbox.Result)) error {
	end, late := time.Now().Add(b.perClass), 0
	for i, name := range e.Tests {
		left := min(b.perTest, time.Until(end))
		if late == mostTimeOuts || left <= 0 {
			return nil
		}
		u := unitTest{it.Class, e.Program, it.Imports, it.Tests, name[0], name[1]}
		r, err := try(func() (sandbox.Result, error) { return run(ctx, u, sandbox.Limits{Wall: left, Memory: memory}) })
		if err != nil {
			return fmt.Errorf("run test %s.%s: %w", name[0], name[1], err)
		}
		if r.Status == sandbox.TimedOut {
			late++
		}
		ended(i, r)
	}
	return nil
}

// try runs one unit test, and runs it again if that is what it asks for: rewards do not depend on the time of day.
func try(run func() (sandbox.Result, error)) (r sandbox.Result, err error) {
	for range mostTries {
		if r, err = run(); err != nil || r.Status != sandbox.Exited || r.Code != askAgain {
			break
		}
	}
	return r, err
}

var (
	//go:embed python/remote.py
	remote string
	//go:embed python/classes.py
	classes string
)

// Sandboxes run classes. They may be used by several goroutines.
type Sandboxes struct{ *code.Sandboxes }

// OpenSandboxes starts the sandboxes: workers programs run at once, 0 for one per core. Where isolation is not possible the error is a
// [*sandbox.Unavailable].
func OpenSandboxes(ctx context.Context, workers int) (*Sandboxes, error) {
	both, err := code.OpenSandboxes(ctx, workers, sandbox.Module{Name: "parley_remote", Source: remote}, sandbox.Module{Name: "parley_classes", Source: classes})
	if err != nil {
		return nil, err
	}
	return &Sandboxes{both}, nil
}
