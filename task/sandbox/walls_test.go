//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestWalls tests what isolates programs on this machine. Where bubblewrap can, that is bubblewrap, and everything here must hold; long
// tests are behind the tag sandbox. Elsewhere nothing may be run at all, and the walls that there are, those of the portable
// backend, are tested in package wasm.
func TestWalls(t *testing.T) {
	if !isolates(t) {
		p, err := Open(t.Context(), Options{Workers: 1})
		var missing *Unavailable
		if p != nil || !errors.As(err, &missing) || missing.Remedy == "" {
			t.Errorf("bubblewrap cannot isolate here, and yet: pool %v, error %v", p, err)
		}
		return
	}
	for name, test := range modes {
		t.Run(name, func(t *testing.T) { test(t, Options{Workers: 1}) })
	}
	t.Run("one program a worker", func(t *testing.T) { results(t, Options{Workers: 1, shared: true}) })
	t.Run("workers that stand ready", reserve)
	t.Run("output", output)
	t.Run("budget", budget)
	t.Run("any order", anyOrder)
	t.Run("channels", channels)
	t.Run("cancelling", cancelling)
	t.Run("killed worker", killedWorker)
}

// modes are the tests of what must hold too where every program has a worker instead of namespaces.
var modes = map[string]func(*testing.T, Options){
	"results": results, "escapes": escapes, "limits": limits, "entries": entries, "nothing leaks": nothingLeaks, "customs": customs,
}

// isolates asks bubblewrap itself whether it can do here what a worker needs, so that a fault of this package is not taken for a
// machine without.
func isolates(t *testing.T) bool {
	t.Helper()
	worker := interpreter{}.command("bwrap", false) // for the user that workers run as
	try := exec.Command("bwrap", "--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-net", "--ro-bind", "/usr", "/usr",
		"--ro-bind-try", "/lib", "/lib", "--ro-bind-try", "/lib64", "/lib64", "/usr/bin/env")
	try.Env, try.Dir, try.SysProcAttr = worker.Env, worker.Dir, worker.SysProcAttr
	return try.Run() == nil && len(interpreters(t.Context())) > 0
}

func open(t testing.TB, o Options) *Pool {
	t.Helper()
	p, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func run(t testing.TB, p *Pool, program Program) Result {
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

func results(t *testing.T, o Options) {
	o.Modules = []Module{{"house", "def double(x):\n    return 2 * x\n"}}
	p := open(t, o)
	for _, c := range []struct {
		name, source string
		status       Status
		code         int
		stdout       string
		stderr       string // part of it
	}{
		{"output", "print(6 * 7)", Exited, 0, "42\n", ""},
		{"argument", "print(argument['a'][1])", Exited, 0, "2\n", ""},
		{"module", "import house\nprint(house.double(4))", Exited, 0, "8\n", ""},
		{"exit code", "import sys\nsys.exit(3)", Exited, 3, "", ""},
		{"exit text", "exit('no')", Exited, 1, "", ""},
		{"hard exit", "import os\nos._exit(7)", Exited, 7, "", ""},
		{"exception", "def f():\n    return 1 / 0\nf()", Exited, 1, "", "File \"<program>\", line 2, in f\nZeroDivisionError"},
		{"syntax error", "def f(:", Exited, 1, "", "SyntaxError"},
		{"crash", "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", Signaled, 11, "", ""},
		{"standard input is empty", "print(repr(input()))", Exited, 1, "", "EOFError"},
		{"bytes that are no text", "import os\nos.write(1, b'\\xff')", Exited, 0, "\xff", ""},
	} {
		r := run(t, p, Program{Source: c.source, Argument: map[string]any{"a": []int{1, 2}}})
		if r.Status != c.status || r.Code != c.code || string(r.Stdout) != c.stdout || !strings.Contains(strings.ReplaceAll(string(r.Stderr), "    ~~^~~\n", ""), c.stderr) {
			t.Errorf("%s: %s %d, stdout %q, stderr %q", c.name, r.Status, r.Code, r.Stdout, r.Stderr)
		}
		if strings.Contains(string(r.Stderr), "<string>") {
			t.Errorf("%s: the traceback shows the worker: %s", c.name, r.Stderr)
		}
	}
}

// reserve: where every program has a worker of its own, workers stand ready behind the one that runs, and yet no more programs run at once
// than were asked for.
func reserve(t *testing.T) {
	p := open(t, Options{Workers: 1, shared: true})
	slots := prepared(p)
	for range cap(slots) {
		w := <-slots
		if w == nil {
			t.Error("a worker was not started ahead")
		}
		slots <- w
	}
	busy := make(chan Result)
	a, b, err := SocketPair()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		busy <- run(t, p, Program{Source: "import os\nos.write(channel, b'x')\nos.read(channel, 1)", Channel: a})
	}()
	if _, err := b.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := p.Run(ctx, Program{Source: "pass"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second program beside the one that may run: %v", err)
	}
	b.Close()
	if r := <-busy; !r.OK() {
		t.Errorf("%+v", r)
	}
}

// prepared waits until no worker is being started, or in use.
func prepared(p *Pool) chan *worker {
	slots := p.Backend.(*bubblewrap).slots
	for len(slots) < cap(slots) {
		time.Sleep(time.Millisecond)
	}
	return slots
}

func channels(t *testing.T) {
	p := open(t, Options{Workers: 2})
	a, b, err := SocketPair()
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		r := run(t, p, Program{Source: "import os\nos.write(channel, os.read(channel, 9).upper())", Channel: a})
		if !r.OK() {
			t.Errorf("%+v", r)
		}
	})
	r := run(t, p, Program{Source: "import os\nos.write(channel, b'hello')\nprint(os.read(channel, 9))", Channel: b})
	wg.Wait()
	if string(r.Stdout) != "b'HELLO'\n" {
		t.Errorf("%s %s", r.Stdout, r.Stderr)
	}
}

func cancelling(t *testing.T) {
	p := open(t, Options{Workers: 1})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.Run(ctx, Program{Source: "while True:\n    pass"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a cancelled run: %v", err)
	}
	if r := run(t, p, Program{Source: "print(1)"}); string(r.Stdout) != "1\n" {
		t.Errorf("after a cancelled run: %+v", r)
	}
	p.Close()
	if _, err := p.Run(t.Context(), Program{Source: "print(1)"}); err == nil {
		t.Error("a closed pool runs programs")
	}
}

// killedWorker kills the sandbox under a program, as an administrator or the kernel may.
func killedWorker(t *testing.T) {
	p := open(t, Options{Workers: 1})
	b := p.Backend.(*bubblewrap)
	w := <-b.slots
	b.slots <- w
	time.AfterFunc(100*time.Millisecond, func() { _ = w.cmd.Process.Kill() })
	if r := run(t, p, Program{Source: "import time\ntime.sleep(8)"}); r.Status != Lost {
		t.Errorf("%+v", r)
	}
	if r := run(t, p, Program{Source: "print(1)"}); string(r.Stdout) != "1\n" {
		t.Errorf("after a lost worker: %+v", r)
	}
	noOrphans(t, p)
}

// noOrphans closes the pool and checks that no process of it is left.
func noOrphans(t *testing.T, p *Pool) {
	t.Helper()
	p.Close()
	for range 100 {
		if len(processes(t, p)) == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("left behind: %v", processes(t, p))
}

// processes lists the processes of this test's sandboxes: those whose command line holds the worker.
func processes(t *testing.T, p *Pool) (found []string) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		command, _ := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		stat, _ := os.ReadFile("/proc/" + e.Name() + "/stat")
		if strings.Contains(string(command), "A warm worker: pid 1") && descends(string(stat)) {
			found = append(found, e.Name())
		}
	}
	return found
}

// descends reports whether a process has this one among its ancestors, or has been taken over by init: an orphan.
func descends(stat string) bool {
	for orphan := true; stat != ""; orphan = false {
		var parent int
		rest := stat[strings.LastIndexByte(stat, ')')+1:]
		var state string
		if _, err := fmt.Sscan(rest, &state, &parent); err != nil || parent <= 1 {
			return orphan && parent == 1
		}
		if parent == os.Getpid() {
			return true
		}
		data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", parent))
		stat = string(data)
	}
	return false
}
