//go:build sandbox

package executor_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"parley/systems/lessonl/bank"
	"parley/systems/lessonl/executor"
)

func open(t *testing.T, s executor.Settings) *executor.Executor {
	t.Helper()
	s.Workers = 1
	e, err := executor.Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// TestTests: a program that hangs, crashes, floods or says nothing fails its tests, and nothing else.
func TestTests(t *testing.T) {
	brief, patient := open(t, executor.Settings{Wall: 2 * time.Second}), open(t, executor.Settings{Wall: time.Minute})
	for _, c := range []struct{ program, tests, want string }{
		{"def f(x): return x * x", "assert f(2) == 4\nassert f(3) == 9", "passed 2 of 2"},
		{"Here:\n```python\ndef f(x): return x * x\n```\nDone.", "```\nassert f(2) == 4\n```", "passed 1 of 1"},
		{"def f(x): return x", "assert f(0) == 0\nassert f(2) == 4\nassert f(3) == 9", "passed 1 of 3: assert f(2) == 4: AssertionError"},
		{"def f(x): return math.sqrt(x)", "import math\nassert f(4) == 2", "passed 1 of 1"},
		{"def f(x) return x", "assert f(0) == 0\nassert f(1) == 1", "passed 0 of 2: "},
		{"def f(x):\n while True: pass", "assert f(0) == 0", "passed 0 of 1: assert f(0) == 0: it does not end in time"},
		{"import os\ndef f(x): os._exit(0)", "assert f(0) == 0", "passed 0 of 1: assert f(0) == 0: it ends before it has answered"},
		{"def f(x):\n while True: print('x' * 1000)", "assert f(0) == 0", "passed 0 of 1: assert f(0) == 0: it prints too much"},
		{"def f(x): return x", "f(0) is 0\nassert f(1) == 1 and", "passed 0 of 1: there is no assertion to run"},
		{"def f(x): return x", strings.Repeat("assert f(1) == 1\n", 9), "passed 6 of 6"},
	} {
		e := patient
		if strings.HasSuffix(c.want, "in time") {
			e = brief
		}
		got, err := e.Tests(t.Context(), executor.TestJob{Program: c.program, Tests: c.tests})
		if err != nil || !strings.HasPrefix(got.String(), c.want) || strings.HasSuffix(c.want, ": ") != (len(got.String()) > len(c.want)) {
			t.Errorf("%q: %v, %v, want %s", c.program, got, err, c.want)
		}
	}
}

const (
	slow   = "def total(x):\n    s = 0\n    for i in range(len(x)):\n        for j in range(200):\n            s += x[i]\n    return s / 200\n"
	inputs = "import random\ndef inputs():\n    return [([random.random() for _ in range(500)],) for _ in range(2)]\n"
)

// TestSpeed: what is much faster is so by far, what is the source is near 1, and what is wrong has no speed.
func TestSpeed(t *testing.T) {
	e := open(t, executor.Settings{Wall: 15 * time.Second})
	for _, c := range []struct {
		program     string
		class       bank.Class
		least, most float64
	}{
		{"def total(x):\n    return sum(x)\n", bank.MuchFaster, 3, 1e6},
		{"def total(x):\n    return sum(x) + 1\n", bank.NotEquivalent, 0, 0},
		{"def total(x):\n    return 1 / 0\n", bank.NotEquivalent, 0, 0},
		{"def total(x)\n", bank.NotCompilable, 0, 0},
		{"def other(x):\n    return sum(x)\n", bank.NotCompilable, 0, 0},
		{"def total(x):\n    while True: pass\n", bank.NotEquivalent, 0, 0},
		{"import time\ntime.process_time = lambda: 0\ndef total(x):\n    x.clear()\n    return 0\n", bank.NotEquivalent, 0, 0},
		{slow + "slow = total\ndef total(x):\n    slow(x); return slow(x)\n", bank.Slower, 0.1, 0.9},
	} {
		got, err := e.Speed(t.Context(), executor.SpeedJob{Program: c.program, Source: slow, Entry: "total", Inputs: inputs})
		if err != nil || got.Class != c.class || got.Speedup < c.least || got.Speedup > c.most {
			t.Errorf("%q: %v, %v, want %s, %v to %v", c.program, got, err, c.class, c.least, c.most)
		}
	}
	if _, err := e.Speed(t.Context(), executor.SpeedJob{Program: slow, Source: "def total(x) return", Entry: "total", Inputs: inputs}); err == nil {
		t.Error("no error where the source does not run")
	}
}

// TestHangs: an executor that does not answer in time says so, by its deadline and not by the program's.
func TestHangs(t *testing.T) {
	e := open(t, executor.Settings{Wall: time.Minute, Deadline: 300 * time.Millisecond})
	_, err := e.Run(t.Context(), executor.ByTests, `{"program": "while True: pass", "tests": "assert True"}`)
	if err == nil || !strings.Contains(err.Error(), "the executor has not answered within 300ms") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Run(ctx, executor.ByTests, `{"program": "x = 1", "tests": "assert True"}`); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestMessages: what is no job is refused by what was expected.
func TestMessages(t *testing.T) {
	e := open(t, executor.Settings{})
	for _, c := range []struct{ way, message, want string }{
		{executor.ByTests, "def f(): pass", `expected {"program": "…", "tests": "…"}`},
		{executor.ByTests, `{"program": "", "source": ""}`, "unknown field"},
		{executor.BySpeed, `{"program": "", "source": "", "entry": "f", "inputs": ""}`, "no inputs"},
	} {
		if _, err := e.Run(t.Context(), c.way, c.message); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.message, err)
		}
	}
}
