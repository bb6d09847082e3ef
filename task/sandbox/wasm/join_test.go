//go:build portable

package wasm

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/task/sandbox"
	"parley/task/sandbox/hostile"
)

// join runs two programs that end by themselves, however busy the machine is.
func join(t *testing.T, p *sandbox.Pool, first, second string, argument any) sandbox.Result {
	t.Helper()
	return joinWithin(t, time.Minute, p, first, second, argument)
}

func joinWithin(t *testing.T, wall time.Duration, p *sandbox.Pool, first, second string, argument any) sandbox.Result {
	t.Helper()
	limits := sandbox.Limits{Wall: wall, Memory: 256 << 20, Output: 1 << 20}
	a, b := sandbox.Program{Source: first, Argument: argument, Limits: limits}, sandbox.Program{Source: second, Argument: argument}
	r, err := p.Backend.(sandbox.Joiner).Join(t.Context(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// patient tries to read from the channel until the other side has ended.
const patient = "import os\nwhile os.read(channel, 1 << 16): pass"

func TestPythonJoin(t *testing.T) {
	p := openPython(t, sandbox.Options{Workers: 1})
	for _, c := range []struct {
		name, first, second string
		status              sandbox.Status
		code                int
		stdout              string
	}{
		{
			"they talk", "import os\nprint('loud')\nos.write(1, b'louder\\n')\nos.write(channel, b'hello')\nprint(os.read(channel, 9))",
			"import os\nprint('loud')\nos.write(1, b'louder')\nos.write(channel, os.read(channel, 9).upper())", sandbox.Exited, 0, "louder\nloud\nb'HELLO'\n",
		},
		{
			"much", "import os\ndata = b'x' * (8 << 20)\nn = 0\nwhile n < len(data): n += os.write(channel, data[n:])\nprint(os.read(channel, 20))",
			"import os\nn = 0\nwhile n < 8 << 20: n += len(os.read(channel, 1 << 20))\nos.write(channel, str(n).encode())", sandbox.Exited, 0, "b'8388608'\n",
		},
		{
			"ahead", "import os\nos.write(channel, b'x' * 4000)\nprint(os.read(channel, 5000) == b'y' * 4000)",
			"import os\nos.write(channel, b'y' * 4000)\nprint(os.read(channel, 5000))", sandbox.Exited, 0, "True\n",
		},
		{
			"the second has ended", "import os\nprint(os.read(channel, 1))\ntry:\n    os.write(channel, b'x')\nexcept OSError: print('gone')", "",
			sandbox.Exited, 0, "b''\ngone\n",
		},
		{"the first's code counts", "import sys\nsys.exit(3)", patient, sandbox.Exited, 3, ""},
		{"the second's code does not", "", "import os\nos._exit(9)", sandbox.Exited, 0, ""},
		{"the second traps", "import os\nprint(os.read(channel, 1))", "import ctypes", sandbox.Exited, 0, "b''\n"},
		{"the second outlives the first", "print(1)", "while True: pass", sandbox.Exited, 0, "1\n"},
		{
			"the first needs memory beside a second in a loop", "import os\nos.read(channel, 1)\nx = bytearray(120 << 20)\nprint(len(x) >> 20)",
			"import os\nos.write(channel, b'x')\nwhile True: pass", sandbox.Exited, 0, "120\n",
		},
		{"the second does not answer", "import os\nos.read(channel, 1)", "while True: pass", sandbox.TimedOut, 0, ""},
		{"both wait", "import os\nos.read(channel, 1)", "import os\nos.read(channel, 1)", sandbox.TimedOut, 0, ""},
		{
			"the second floods", "import os, time\nprint(len(os.read(channel, 1000)))", "import os\nwhile True: os.write(channel, b'x' * 1000)",
			sandbox.Exited, 0, "1000\n",
		},
		{
			"nothing shared", "import sys, os\nsys.modules['builtins'].secret = 1\nos.environ['SECRET'] = '1'\nos.write(channel, b'x')\nprint(os.read(channel, 99))",
			"import builtins, os\nos.read(channel, 1)\nos.write(channel, str((hasattr(builtins, 'secret'), 'SECRET' in os.environ)).encode())",
			sandbox.Exited, 0, "b'(False, False)'\n",
		},
		{
			"each has its own memory", "x = bytearray(160 << 20)\nimport os\nprint(os.read(channel, 9))",
			"import os\nx = bytearray(160 << 20)\nos.write(channel, b'too')", sandbox.Exited, 0, "b'too'\n",
		},
		{
			"and no more", "import os\nprint(os.read(channel, 9))",
			"import os\ntry:\n    x = bytearray(300 << 20)\nexcept MemoryError: os.write(channel, b'enough')", sandbox.Exited, 0, "b'enough'\n",
		},
		{"afterwards", "import os\nprint(os.read(channel, 1))", "", sandbox.Exited, 0, "b''\n"},
	} {
		wall := time.Minute
		if c.status == sandbox.TimedOut {
			wall = 5 * time.Second
		}
		r := joinWithin(t, wall, p, c.first, c.second, nil)
		if r.Status != c.status || r.Code != c.code || string(r.Stdout) != c.stdout {
			t.Errorf("%s: %s %d, stdout %q, stderr %q", c.name, r.Status, r.Code, r.Stdout, r.Stderr)
		}
	}
	if r := run(t, p, sandbox.Program{Source: "print(channel)"}); string(r.Stdout) != "None\n" {
		t.Errorf("the channel of a program alone: %+v", r)
	}
}

// TestJoinedEscapes: a channel is no way out. Its folder and its file can be opened once, which has been done, and nothing else is there.
func TestJoinedEscapes(t *testing.T) {
	p := openPython(t, sandbox.Options{Workers: 1})
	escapes := append(hostile.Escapes[:len(hostile.Escapes):len(hostile.Escapes)], hostile.Escape{Name: "channel's folder", Source: `import os
for path in ('/parley', '/parley/channel', '/parley/..', '/parley/../etc/passwd', '/parley/' + argument, '/parley/new'):
    for f in (lambda: os.open(path, os.O_RDWR), lambda: os.open(path, os.O_RDONLY | os.O_CREAT), lambda: os.listdir(path), lambda: os.mkdir(path),
              lambda: os.symlink(argument, path), lambda: os.link(argument, path), lambda: os.rename(argument, path), lambda: os.unlink(path),
              lambda: os.readlink(path)):
        try:
            f(); print(path)
        except OSError: pass`})
	// The descriptors are of Python's own library and of the channel's folder.
	noEscapes(t, escapes, "3\n4\n", func(source, secret string) sandbox.Result { return join(t, p, source, patient, secret) })
}

// TestJoinedBombs: each bomb as the second program ends with the first, and the next program finds everything as it was.
func TestJoinedBombs(t *testing.T) {
	p := openPython(t, sandbox.Options{Workers: 2})
	var wait sync.WaitGroup
	for _, b := range hostile.Bombs {
		wait.Go(func() {
			limits := sandbox.Limits{Wall: 200 * time.Millisecond, Memory: 256 << 20}
			r, err := p.Backend.(sandbox.Joiner).Join(t.Context(), sandbox.Program{Source: patient, Limits: limits}, sandbox.Program{Source: b.Source})
			if err != nil || r.Status == sandbox.Lost {
				t.Errorf("%s: %+v, %v", b.Name, r, err)
			}
		})
	}
	wait.Wait()
	if r := join(t, p, "print(1)", "", nil); string(r.Stdout) != "1\n" {
		t.Errorf("afterwards: %+v", r)
	}
}

// TestJoinedDeadline: the time of two programs begins when both interpreters have started, so that neither waits for the other's.
func TestJoinedDeadline(t *testing.T) {
	p := openPython(t, sandbox.Options{Workers: 1})
	for range 3 {
		r := join(t, p, "import os, time\nstart = time.monotonic()\nos.read(channel, 1)\nprint(time.monotonic() - start)", "import os\nos.write(channel, b'x')", nil)
		var waited float64
		if _, err := fmt.Sscan(string(r.Stdout), &waited); err != nil || waited > 1 {
			t.Errorf("the first waits %v s for the second, %v: %+v", waited, err, r)
		}
	}
}

// TestJoinedWithoutMemory: programs whose interpreters cannot start are no reason to wait.
func TestJoinedWithoutMemory(t *testing.T) {
	p := openPython(t, sandbox.Options{Workers: 1})
	start := time.Now()
	limits := sandbox.Limits{Memory: 1 << 20, Output: 1 << 10}
	r, err := p.Backend.(sandbox.Joiner).Join(t.Context(), sandbox.Program{Source: "print(1)", Limits: limits}, sandbox.Program{})
	if err != nil || r.OK() || time.Since(start) > startTime/2 {
		t.Errorf("%+v after %v, %v", r, time.Since(start), err)
	}
}

// TestJoinedNoOrphans: closing a pool ends both programs.
func TestJoinedNoOrphans(t *testing.T) {
	p := openPython(t, sandbox.Options{Workers: 1})
	child, m := childOf(p), p.Backend.(*machine)
	busy := make(chan error)
	go func() {
		_, err := m.Join(t.Context(), sandbox.Program{Source: "while True: pass"}, sandbox.Program{Source: "while True: pass"})
		busy <- err
	}()
	time.Sleep(time.Second)
	p.Close()
	if err := <-busy; err == nil {
		t.Error("two programs outlive their pool")
	}
	if child.cmd.ProcessState == nil {
		t.Errorf("child %d is still there", child.cmd.Process.Pid)
	}
}

// TestNoChannels: what this backend cannot do is refused.
func TestNoChannels(t *testing.T) {
	p := openPython(t, sandbox.Options{Workers: 1})
	channel, other, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	_, err = p.Run(t.Context(), sandbox.Program{Source: "print(1)", Channel: channel})
	if err == nil || !strings.Contains(err.Error(), "no channels from outside") {
		t.Errorf("%v", err)
	}
}
