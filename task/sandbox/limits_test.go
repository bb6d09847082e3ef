//go:build linux && (amd64 || arm64)

package sandbox

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// limits runs into each limit, from inside and from outside of it.
func limits(t *testing.T, o Options) {
	p := open(t, o)
	for _, c := range []struct {
		name, source string
		limits       Limits
		status       Status
		code         int
		stdout       string
		stderr       string // part of it
	}{
		{"time, busy", "while True:\n    pass", Limits{Wall: 200 * time.Millisecond}, TimedOut, 0, "", ""},
		{"time, asleep", "import time\ntime.sleep(60)", Limits{Wall: 200 * time.Millisecond}, TimedOut, 0, "", ""},
		{
			"time, deaf to signals", "import signal, time\nfor s in range(1, 65):\n    try:\n        signal.signal(s, signal.SIG_IGN)\n    except (OSError, ValueError):\n        pass\nwhile True:\n    time.sleep(1)",
			Limits{Wall: 200 * time.Millisecond},
			TimedOut, 0, "", "",
		},
		{"time, what was said before", "import sys, time\nprint('so far', flush=True)\ntime.sleep(60)", Limits{Wall: 4 * time.Second}, TimedOut, 0, "so far\n", ""},
		{"memory within", "x = bytearray(64 << 20)\nprint(len(x))", Limits{Memory: 256 << 20}, Exited, 0, "67108864\n", ""},
		{"memory", "x = bytearray(256 << 20)", Limits{Memory: 256 << 20}, Exited, 1, "", "MemoryError"},
		{"memory, mapped", "import mmap\nmmap.mmap(-1, 256 << 20)", Limits{Memory: 256 << 20}, Exited, 1, "", "Cannot allocate memory"},
		{"processes", forks, Limits{}, Exited, 0, "0\n", ""},
		{"two more processes", forks, Limits{Processes: 3}, Exited, 0, "2\n", ""},
		{"threads", "import threading\nthreading.Thread(target=print).start()", Limits{}, Exited, 1, "", "can't start new thread"},
		{"a file within", "open('f', 'wb').write(bytes(1 << 20))\nprint('written')", Limits{FileSize: 1 << 20}, Exited, 0, "written\n", ""},
		{"a file", "f = open('f', 'wb', buffering=0)\nf.write(bytes(1 << 20))\nf.write(b'x')", Limits{FileSize: 1 << 20}, Exited, 1, "", "File too large"},
		{"files together", "for i in range(100):\n    open(str(i), 'wb').write(bytes(1 << 20))", Limits{}, Exited, 1, "", "No space left on device"},
		{"descriptors", "import os\nwhile True:\n    os.dup(0)", Limits{}, Exited, 1, "", "Too many open files"},
		{"afterwards", "print(6 * 7)", Limits{}, Exited, 0, "42\n", ""},
	} {
		r := run(t, p, Program{Source: c.source, Limits: c.limits})
		if r.Status != c.status || r.Code != c.code || string(r.Stdout) != c.stdout || !strings.Contains(string(r.Stderr), c.stderr) {
			t.Errorf("%s: %s %d, stdout %q, stderr %q", c.name, r.Status, r.Code, r.Stdout, r.Stderr)
		}
	}
}

// entries bounds how many files the writable folder holds, however small they are: by itself, or by the end of the program.
func entries(t *testing.T, o Options) {
	p := open(t, o)
	r := run(t, p, Program{Source: "import os\nn = 0\ntry:\n    while n < 500000:\n        os.symlink('x', str(n))\n        n += 1\nexcept OSError as e:\n    print(n < 4096, e.strerror)\nelse:\n    print(n)"})
	byItself := r.Status == Exited && string(r.Stdout) == "True No space left on device\n"
	if p.Backend.(*bubblewrap).shared != "" {
		byItself = r.Status == Signaled && r.Code == int(syscall.SIGKILL)
	}
	if !byItself {
		t.Errorf("%s %d, %s%s", r.Status, r.Code, r.Stdout, r.Stderr)
	}
}

// forks counts how many processes a program may have beside itself.
const forks = `import os, time
n = 0
try:
    while n < 10:
        if os.fork() == 0:
            time.sleep(60)
        n += 1
except OSError:
    pass
print(n)`

// output writes up to the limit and over it, by one byte and without end, on each of both streams.
func output(t *testing.T) {
	p := open(t, Options{Workers: 1})
	const most = 1000
	for _, stream := range []string{"1", "2"} {
		for _, c := range []struct {
			name, source string
			most         int
			status       Status
			bytes        int
		}{
			{"all that may be", "import os\nos.write(" + stream + ", b'x' * 1000)", most, Exited, most},
			{"one byte more", "import os\nos.write(" + stream + ", b'x' * 1001)", most, Flooded, most},
			{"without end", "import os\nwhile True:\n    os.write(" + stream + ", b'x' * 65536)", most, Flooded, most},
			{"nobody listens", "import os\nfor i in range(100):\n    os.write(" + stream + ", b'x' * 65536)", 0, Exited, 0},
		} {
			r, err := p.Run(t.Context(), Program{Source: c.source, Limits: Limits{Output: c.most}})
			got := len(r.Stdout) // the other stream may have the program's own complaint about a closed pipe
			if stream == "2" {
				got = len(r.Stderr)
			}
			if err != nil || r.Status != c.status || got != c.bytes {
				t.Errorf("descriptor %s, %s: %s with %d bytes, %v; want %s with %d", stream, c.name, r.Status, got, err, c.status, c.bytes)
			}
		}
	}
}

// budget runs programs that sleep just below their own deadline: together they end by their budget.
func budget(t *testing.T) {
	p := open(t, Options{Workers: 1})
	together := NewBudget(500 * time.Millisecond)
	late := 0
	for range 6 {
		r := run(t, p, Program{Source: "import time\ntime.sleep(0.3)", Limits: Limits{Wall: 400 * time.Millisecond, Budget: together}})
		if r.Status == TimedOut {
			late++
		}
	}
	if late < 5 || !together.Spent() {
		t.Errorf("%d of 6 were cut short, spent %v", late, together.Spent())
	}
	if r := run(t, p, Program{Source: "print(1)", Limits: Limits{Budget: NewBudget(time.Minute)}}); string(r.Stdout) != "1\n" {
		t.Errorf("a program within its budget: %+v", r)
	}
}
