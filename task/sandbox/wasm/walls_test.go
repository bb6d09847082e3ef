package wasm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/task/sandbox"
)

// The walls of the portable sandbox, tested with a program of these tests in Python's place: they are the machine's and the child's,
// whatever runs inside. The same with Python is behind the tag portable, which needs the interpreter's file.

// run runs a program and fails where it could not be run.
func run(t *testing.T, p *sandbox.Pool, program sandbox.Program) sandbox.Result {
	t.Helper()
	if program.Limits.Output == 0 {
		program.Limits.Output = 1 << 20
	}
	r, err := p.Run(t.Context(), program)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestWalls(t *testing.T) {
	p := openTiny(t, 1)
	t.Setenv("PARLEY_SECRET", "secret")
	brief := sandbox.Limits{Wall: 100 * time.Millisecond}
	for _, c := range []struct {
		source string
		limits sandbox.Limits
		status sandbox.Status
		code   int
		stdout string
	}{
		{"answer", sandbox.Limits{}, sandbox.Exited, 0, "42\n"},
		{"exit", sandbox.Limits{}, sandbox.Exited, 7, ""},
		{"trap", sandbox.Limits{}, sandbox.Signaled, abort, ""},
		{"loop", brief, sandbox.TimedOut, 0, ""},
		{"answer", sandbox.Limits{}, sandbox.Exited, 0, "42\n"},
		{"out", sandbox.Limits{}, sandbox.Flooded, 0, ""},
		{"Error", sandbox.Limits{}, sandbox.Flooded, 0, ""},
		{"bytes", sandbox.Limits{Output: 1000}, sandbox.Exited, 0, strings.Repeat("\x00", 1000)},
		{"Bytes", sandbox.Limits{Output: 1000}, sandbox.Flooded, 0, ""},
		{"memory", sandbox.Limits{Memory: 1 << 20}, sandbox.Exited, 0, "16\n"}, // pages
		{"memory", sandbox.Limits{Memory: 8 << 20}, sandbox.Exited, 0, "128\n"},
		{"memory", sandbox.Limits{Memory: 1 << 20}, sandbox.Exited, 0, "16\n"},
		{"memory", sandbox.Limits{Wall: time.Minute}, sandbox.Exited, 0, fmt.Sprintln(mostPages)}, // slow under the race detector
		{"input", sandbox.Limits{}, sandbox.Exited, 0, "0\n"},
		{"variables", sandbox.Limits{}, sandbox.Exited, 0, "1\n"}, // PYTHONHASHSEED
		{"descriptors", sandbox.Limits{}, sandbox.Exited, 0, "0\n"},
		{"files", sandbox.Limits{}, sandbox.Exited, 0, "0\n"},
		{"new files", sandbox.Limits{}, sandbox.Exited, 0, "0\n"},
		{"sockets", sandbox.Limits{}, sandbox.Exited, 0, "0\n"},
		{"Wait", sandbox.Limits{}, sandbox.Signaled, abort, ""}, // for there is no channel
		{"answer", sandbox.Limits{}, sandbox.Exited, 0, "42\n"},
	} {
		r := run(t, p, sandbox.Program{Source: c.source, Limits: c.limits})
		if r.Status != c.status || r.Code != c.code || string(r.Stdout) != c.stdout {
			t.Errorf("%s with %+v: %s %d, stdout %.80q, stderr %.80q", c.source, c.limits, r.Status, r.Code, r.Stdout, r.Stderr)
		}
	}
}

// TestNobodyListens: a program whose output is discarded may write without end, and ends at its deadline.
func TestNobodyListens(t *testing.T) {
	p := openTiny(t, 1)
	r, err := p.Run(t.Context(), sandbox.Program{Source: "out", Limits: sandbox.Limits{Wall: 100 * time.Millisecond}})
	if err != nil || r.Status != sandbox.TimedOut || len(r.Stdout) > 0 {
		t.Errorf("%s with %d bytes, %v", r.Status, len(r.Stdout), err)
	}
}

// TestBudget: programs that share a budget end by it, joined ones too, and it is not counted while none of them runs.
func TestBudget(t *testing.T) {
	p := openTiny(t, 1)
	together := sandbox.NewBudget(2 * time.Second)
	limits := sandbox.Limits{Wall: time.Minute, Budget: together, Output: 100}
	if r := run(t, p, sandbox.Program{Source: "answer", Limits: limits}); string(r.Stdout) != "42\n" || together.Spent() {
		t.Errorf("within the budget: %+v", r)
	}
	r, err := p.Backend.(sandbox.Joiner).Join(t.Context(), sandbox.Program{Source: "Wait", Limits: limits}, sandbox.Program{Source: "loop"})
	if err != nil || r.Status != sandbox.TimedOut || !together.Spent() {
		t.Errorf("until its end: %+v, %v", r, err)
	}
	if r := run(t, p, sandbox.Program{Source: "answer", Limits: limits}); r.Status != sandbox.TimedOut {
		t.Errorf("after its end: %+v", r)
	}
}

func TestJoin(t *testing.T) {
	p := openTiny(t, 1)
	for _, c := range []struct {
		first, second string
		status        sandbox.Status
		stdout        string
	}{
		{"Ask", "Reply", sandbox.Exited, "9\n"},
		{"Ask", "answer", sandbox.Exited, "0\n"},       // the other side has ended
		{"Wait", "trap", sandbox.Exited, "0\n"},        // or trapped
		{"Ask", "Wait", sandbox.TimedOut, ""},          // nobody answers
		{"Wait", "loop", sandbox.TimedOut, ""},         // or goes on for ever
		{"answer", "loop", sandbox.Exited, "42\n"},     // the first ends, and the second with it
		{"answer", "out", sandbox.Exited, "42\n"},      // whose output nobody reads
		{"descriptors", "Wait", sandbox.Exited, "1\n"}, // the channel's folder
		{"files", "Wait", sandbox.Exited, "0\n"},
		{"new files", "Wait", sandbox.Exited, "0\n"},
		{"Ask", "Reply", sandbox.Exited, "9\n"},
	} {
		limits := sandbox.Limits{Wall: time.Minute, Memory: 1 << 20, Output: 1 << 20}
		if c.status == sandbox.TimedOut {
			limits.Wall = 300 * time.Millisecond
		}
		r, err := p.Backend.(sandbox.Joiner).Join(t.Context(), sandbox.Program{Source: c.first, Limits: limits}, sandbox.Program{Source: c.second})
		if err != nil || r.Status != c.status || string(r.Stdout) != c.stdout {
			t.Errorf("%s with %s: %s %d, stdout %q, %v", c.first, c.second, r.Status, r.Code, r.Stdout, err)
		}
	}
}

// TestNobodyIsStopped: a program has all that it needs, much memory too, beside one that never gives up its processor.
func TestNobodyIsStopped(t *testing.T) {
	p := openTiny(t, 1)
	limits := sandbox.Limits{Wall: time.Minute, Memory: 256 << 20, Output: 1 << 20}
	r, err := p.Backend.(sandbox.Joiner).Join(t.Context(), sandbox.Program{Source: "memory", Limits: limits}, sandbox.Program{Source: "loop"})
	if err != nil || r.Status != sandbox.Exited || string(r.Stdout) != "4096\n" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestTogether gives two children more programs than they can run at once, most of which end badly: each has its own result.
func TestTogether(t *testing.T) {
	p := openTiny(t, 2)
	want := map[string]sandbox.Status{"answer": sandbox.Exited, "trap": sandbox.Signaled, "loop": sandbox.TimedOut, "out": sandbox.Flooded}
	var wait sync.WaitGroup
	for range 3 {
		for source, status := range want {
			wait.Go(func() {
				limits := sandbox.Limits{Output: 1 << 10}
				if source == "loop" {
					limits.Wall = 50 * time.Millisecond
				}
				if r, err := p.Run(t.Context(), sandbox.Program{Source: source, Limits: limits}); err != nil || r.Status != status {
					t.Errorf("%s: %+v, %v", source, r, err)
				}
			})
		}
	}
	wait.Wait()
}

// TestKilledChild kills a child under a program, as an administrator or the kernel may.
func TestKilledChild(t *testing.T) {
	p := openTiny(t, 1)
	child := childOf(p)
	time.AfterFunc(100*time.Millisecond, func() { _ = child.cmd.Process.Kill() })
	if r := run(t, p, sandbox.Program{Source: "loop"}); r.Status != sandbox.Lost {
		t.Errorf("%+v", r)
	}
	if r := run(t, p, sandbox.Program{Source: "answer"}); string(r.Stdout) != "42\n" {
		t.Errorf("after a lost child: %+v", r)
	}
}

// TestCancelAndClose: the end of a context, or of the pool, ends a program in mid-loop and its child.
func TestCancelAndClose(t *testing.T) {
	p := openTiny(t, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := p.Run(ctx, sandbox.Program{Source: "loop"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a cancelled run: %v", err)
	}
	if r := run(t, p, sandbox.Program{Source: "answer"}); string(r.Stdout) != "42\n" {
		t.Errorf("after a cancelled run: %+v", r)
	}
	child, busy := childOf(p), make(chan error)
	go func() {
		_, err := p.Run(t.Context(), sandbox.Program{Source: "loop"})
		busy <- err
	}()
	time.Sleep(50 * time.Millisecond)
	p.Close()
	if err := <-busy; err == nil {
		t.Error("a program outlives its pool")
	}
	if child.cmd.ProcessState == nil {
		t.Errorf("child %d is still there", child.cmd.Process.Pid)
	}
	if _, err := p.Run(t.Context(), sandbox.Program{Source: "answer"}); err == nil {
		t.Error("a closed pool runs programs")
	}
}

// TestGreedy: a program that asks the host for more than programs are given is not run.
func TestGreedy(t *testing.T) {
	tinyChildren(t, "greedy")
	b, err := open(t.Context(), "greedy", sandbox.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if r, err := b.Run(t.Context(), sandbox.Program{Source: "answer", Limits: sandbox.Limits{Output: 100}}); err != nil || r.Status == sandbox.Exited || len(r.Stdout) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestNoProgram: an interpreter that is none is known at once, and the error says what is wrong.
func TestNoProgram(t *testing.T) {
	tinyChildren(t, "no WebAssembly")
	b, err := open(t.Context(), "", sandbox.Options{Workers: 1})
	var missing *sandbox.Unavailable
	if b != nil || !errors.As(err, &missing) || !strings.Contains(missing.Reason, "compile Python") {
		t.Errorf("%v, %v", b, err)
	}
}
