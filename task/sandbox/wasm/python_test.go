//go:build portable

package wasm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/task/sandbox"
	"parley/task/sandbox/hostile"
)

func openPython(t *testing.T, o sandbox.Options) *sandbox.Pool {
	t.Helper()
	o.Backend = Name
	p, err := sandbox.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func TestPythonResults(t *testing.T) {
	p := openPython(t, sandbox.Options{Workers: 1, Modules: []sandbox.Module{{Name: "house", Source: "def double(x):\n    return 2 * x\n"}}})
	for _, c := range []struct {
		name, source string
		status       sandbox.Status
		code         int
		stdout       string
		stderr       string // part of it
	}{
		{"output", "print(6 * 7)", sandbox.Exited, 0, "42\n", ""},
		{"argument", "print(argument['a'][1])", sandbox.Exited, 0, "2\n", ""},
		{"module", "import house\nprint(house.double(4))", sandbox.Exited, 0, "8\n", ""},
		{"exit code", "import sys\nsys.exit(3)", sandbox.Exited, 3, "", ""},
		{"hard exit", "import os\nos._exit(7)", sandbox.Exited, 7, "", ""},
		{"exception", "def f():\n    return 1 / 0\nf()", sandbox.Exited, 1, "", "File \"<program>\", line 2, in f\nZeroDivisionError"},
		{"syntax error", "def f(:", sandbox.Exited, 1, "", "SyntaxError"},
		{"standard input is empty", "print(repr(input()))", sandbox.Exited, 1, "", "EOFError"},
		{"flood", "while True:\n    print('x' * 1000)", sandbox.Flooded, 0, "", ""},
		{"memory", "x = bytearray(10**9)", sandbox.Exited, 1, "", "MemoryError"},
		{"time", "while True:\n    pass", sandbox.TimedOut, 0, "", ""},
		{"afterwards", "print(6 * 7)", sandbox.Exited, 0, "42\n", ""},
		{"random numbers are the same", "import random\nprint(random.random())", sandbox.Exited, 0, "0.8444218515250481\n", ""},
	} {
		wall := time.Minute
		if c.status == sandbox.TimedOut {
			wall = time.Second
		}
		r := run(t, p, sandbox.Program{Source: c.source, Argument: map[string]any{"a": []int{1, 2}}, Limits: sandbox.Limits{Wall: wall, Memory: 256 << 20}})
		stderr := strings.NewReplacer("    ~~^~~\n", "").Replace(string(r.Stderr))
		if r.Status != c.status || r.Code != c.code || string(r.Stdout) != c.stdout || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%s: %s %d, stdout %q, stderr %q", c.name, r.Status, r.Code, r.Stdout, r.Stderr)
		}
	}
}

// TestPythonEscapes: nothing is reached. What a program needs for its try is mostly not even there, so that it ends with an exception.
func TestPythonEscapes(t *testing.T) {
	p := openPython(t, sandbox.Options{Workers: 1})
	// The descriptor is of Python's own library, which is inside the interpreter's file.
	noEscapes(t, hostile.Escapes, "3\n", func(source, secret string) sandbox.Result {
		return run(t, p, sandbox.Program{Source: source, Argument: secret})
	})
}

// noEscapes runs every escape with the path of a secret, and looks for what it finds and leaves. descriptors are those that are open.
func noEscapes(t *testing.T, escapes []hostile.Escape, descriptors string, run func(source, secret string) sandbox.Result) {
	t.Helper()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PARLEY_SECRET", "secret")
	for _, e := range escapes {
		switch e.Name {
		case "environment":
			e.Allowed = "['PYTHONHASHSEED']\n"
		case "open descriptors":
			e.Allowed = descriptors
		}
		r := run(e.Source, secret)
		if r.Status != sandbox.Exited || string(r.Stdout) != e.Allowed && (r.Code == 0 || len(r.Stdout) > 0) {
			t.Errorf("%s: %s %d: %s%s", e.Name, r.Status, r.Code, r.Stdout, r.Stderr)
		}
	}
	if data, err := os.ReadFile(secret); string(data) != "secret" {
		t.Errorf("a host file was changed: %q, %v", data, err)
	}
}

// TestPythonBombs runs every bomb: each ends, and the next program finds everything as it was.
func TestPythonBombs(t *testing.T) {
	p := openPython(t, sandbox.Options{Workers: 2})
	var wait sync.WaitGroup
	for _, b := range hostile.Bombs {
		wait.Go(func() {
			start := time.Now()
			limits := sandbox.Limits{Wall: 200 * time.Millisecond, Memory: 256 << 20, Output: 1 << 16}
			if _, err := p.Run(t.Context(), sandbox.Program{Source: b.Source, Limits: limits}); err != nil {
				t.Errorf("%s: %v", b.Name, err)
			}
			if d := time.Since(start); d > 5*time.Minute {
				t.Errorf("%s took %v", b.Name, d)
			}
		})
	}
	wait.Wait()
	if r := run(t, p, sandbox.Program{Source: "print(1)"}); string(r.Stdout) != "1\n" {
		t.Errorf("afterwards: %+v", r)
	}
}

// TestPythonDeadline: the time of a program is its own, whatever its interpreter takes to start, and no more than was given.
func TestPythonDeadline(t *testing.T) {
	p := openPython(t, sandbox.Options{Workers: 1})
	for range 2 {
		start := time.Now()
		r := run(t, p, sandbox.Program{Source: "import time\nstart = time.monotonic()\nwhile time.monotonic() < start + 0.2:\n    pass\nprint(1)", Limits: sandbox.Limits{Wall: time.Minute}})
		if r.Status != sandbox.Exited || string(r.Stdout) != "1\n" {
			t.Errorf("a program with time to spare: %+v after %v", r, time.Since(start))
		}
		r = run(t, p, sandbox.Program{Source: "while True:\n    pass", Limits: sandbox.Limits{Wall: time.Millisecond}})
		if r.Status != sandbox.TimedOut {
			t.Errorf("a program without time: %+v", r)
		}
	}
}

// TestPythonMemory: what one program took is given back, and what a program may have is its own limit's, whoever ran before.
func TestPythonMemory(t *testing.T) {
	p := openPython(t, sandbox.Options{Workers: 1})
	take := func(mebibytes int, limit int64) sandbox.Result {
		return run(t, p, sandbox.Program{Source: "x = bytearray(argument << 20)\nprint(len(x) >> 20)", Argument: mebibytes, Limits: sandbox.Limits{Memory: limit}})
	}
	for range 4 {
		if r := take(100, 0); string(r.Stdout) != "100\n" {
			t.Fatalf("100 of 512 MiB: %+v", r)
		}
		if r := take(100, 64<<20); r.Code != 1 || !strings.Contains(string(r.Stderr), "MemoryError") {
			t.Fatalf("100 of 64 MiB: %+v", r)
		}
	}
	for range 20 {
		take(400, 0)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", childOf(p).cmd.Process.Pid))
	if err != nil {
		t.Fatalf("how much memory the child has: %v", err)
	}
	var size, resident int
	if _, err := fmt.Sscan(string(status), &size, &resident); err != nil {
		t.Fatal(err)
	}
	// The compiled interpreter stays, and what is not worth collecting.
	if got := resident * os.Getpagesize() >> 20; got > 600 {
		t.Errorf("%d MiB after twenty programs with 400 MiB each", got)
	} else {
		t.Logf("%d MiB after twenty programs with 400 MiB each", got)
	}
}

// TestPythonNoOrphans: closing a pool ends its children, whatever they are at.
func TestPythonNoOrphans(t *testing.T) {
	p := openPython(t, sandbox.Options{Workers: 1})
	child := childOf(p)
	busy := make(chan error)
	go func() {
		_, err := p.Run(t.Context(), sandbox.Program{Source: "while True:\n    pass"})
		busy <- err
	}()
	time.Sleep(200 * time.Millisecond)
	p.Close()
	if err := <-busy; err == nil {
		t.Error("a program outlives its pool")
	}
	if child.cmd.ProcessState == nil {
		t.Errorf("child %d is still there", child.cmd.Process.Pid)
	}
}

// TestPythonKilledChild kills a child under a program, as an administrator or the kernel may.
func TestPythonKilledChild(t *testing.T) {
	p := openPython(t, sandbox.Options{Workers: 1})
	child := childOf(p)
	time.AfterFunc(500*time.Millisecond, func() { _ = child.cmd.Process.Kill() })
	if r := run(t, p, sandbox.Program{Source: "while True:\n    pass"}); r.Status != sandbox.Lost {
		t.Errorf("%+v", r)
	}
	if r := run(t, p, sandbox.Program{Source: "print(1)"}); string(r.Stdout) != "1\n" {
		t.Errorf("after a lost child: %+v", r)
	}
}

func TestPythonCancel(t *testing.T) {
	p := openPython(t, sandbox.Options{Workers: 1})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := p.Run(ctx, sandbox.Program{Source: "while True:\n    pass"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a cancelled run: %v", err)
	}
	if r := run(t, p, sandbox.Program{Source: "print(1)"}); string(r.Stdout) != "1\n" {
		t.Errorf("after a cancelled run: %+v", r)
	}
	p.Close()
	if _, err := p.Run(t.Context(), sandbox.Program{Source: "print(1)"}); err == nil {
		t.Error("a closed pool runs programs")
	}
}

// TestPythonKilledParent is [TestKilledParent] with Python at work.
func TestPythonKilledParent(t *testing.T) { killParent(t, "while True: pass", 2*time.Second) }
