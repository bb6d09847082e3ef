package classeval

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"parley/sandbox"
)

// A budget bounds the unit tests of one class.
type budget struct{ perTest, perClass time.Duration }

// usual is the published one (§8).
var usual = budget{40 * time.Second, 125 * time.Second}

const (
	mostTimeOuts = 3
	memory       = 1 << 30 // bytes of one test

	// A test that failed while the clock's second changed ends with askAgain (AGAIN of python/classes.py), and is tried this often in all.
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
	r, err := l.run(ctx, sandbox.Program{
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
func (l *Sandboxes) test(ctx context.Context, b budget, it item, e analysis) (Tally, error) {
	t := Tally{Run: len(e.Tests)}
	err := l.each(ctx, b, it, e, scoring, func(i int, r sandbox.Result) {
		switch {
		case r.Status == sandbox.TimedOut:
			t.TimeOuts++
		case r.Status == sandbox.Exited && r.Code == successCode(e.Program, e.Tests[i]):
			t.Passed++
		}
	})
	if err != nil {
		return Tally{}, err
	}
	return t, nil
}

// A way of running a unit test is a function of python/classes.py, and how many bytes of what it prints are looked at.
type way struct {
	name   string
	output int
}

var (
	scoring   = way{"test", 0}
	reporting = way{"report", 64 << 10}
)

// each runs the unit tests of a class and hands over how each ended, until too many were too slow.
func (l *Sandboxes) each(ctx context.Context, b budget, it item, e analysis, how way, ended func(i int, r sandbox.Result)) error {
	end, late := time.Now().Add(b.perClass), 0
	for i, name := range e.Tests {
		left := min(b.perTest, time.Until(end))
		if late == mostTimeOuts || left <= 0 {
			return nil
		}
		r, err := l.try(ctx, sandbox.Program{
			Source: "import parley_classes\nparley_classes." + how.name + "(argument)",
			Argument: map[string]any{
				"program": e.Program, "tests": it.Tests, "class": name[0], "method": name[1],
				"success": successCode(e.Program, name),
			},
			Limits: sandbox.Limits{Wall: left, Memory: memory, Output: how.output},
		})
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
func (l *Sandboxes) try(ctx context.Context, p sandbox.Program) (r sandbox.Result, err error) {
	for range mostTries {
		if r, err = l.run(ctx, p); err != nil || r.Status != sandbox.Exited || r.Code != askAgain {
			break
		}
	}
	return r, err
}

// successCode is between 64 and 255 and a function of what is run, so that scores are, and programs cannot tell it.
func successCode(program string, test [2]string) int {
	sum := sha256.Sum256([]byte(program + "\x00" + test[0] + "." + test[1]))
	return 64 + int(sum[0])*192/256
}
