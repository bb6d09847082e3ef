//go:build sandbox

package code

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/task"
)

var doubled = task.Problem{ID: "d", Question: "Double it.", Fields: map[string]string{
	FieldEntry: "f",
	FieldTests: "def check(candidate):\n    assert candidate(1) == 2\n    assert candidate(2) == 4\n    assert candidate(-3) == -6\n",
}}

// TestReport: what each agent is told, for programs that work, fail in every way, and use aux in every way.
func TestReport(t *testing.T) {
	const half, twice = "def aux(x):\n    return x + x", "def f(x):\n    y = aux(x)\n    return y"
	for _, c := range []struct {
		name      string
		aux, main string
		shown     int
		want      [2][]string // of each agent; a leading "-" means: not this
	}{
		{"works", half, "def f(x):\n    p = aux(x)\n    q = 0\n    return p + q", 1, [2][]string{{"function aux was found", "3 of 3"}, {"function f was found", "3 of 3", "calls aux and uses its value", "-failed"}}},
		{"wrapper", half, twice, 1, [2][]string{{"3 of 3"}, {"only passes on"}}},
		{"no aux, but called", "nothing here", "def f(x):\n    y = aux(x)\n    return y", 1, [2][]string{{"aux was not found", "0 of 3"}, {"calls aux, but the other agent has not written it"}}},
		{"an aux of its own", half, "def f(x):\n    aux = lambda v: 2 * v\n    return aux(x)", 1, [2][]string{{"3 of 3"}, {"a meaning of its own"}}},
		{"no aux", "nothing here", "def f(x):\n    return 2 * x", 1, [2][]string{{"aux was not found", "3 of 3"}, {"does not call aux"}}},
		{"ignored", half, "def f(x):\n    aux(x)\n    return 2 * x", 1, [2][]string{{}, {"does nothing with the value"}}},
		{"wrong", half, "def f(x):\n    return abs(x) * 2", 0, [2][]string{{"2 of 3"}, {"assert candidate(-3) == -6 failed: AssertionError"}}},
		{"wrong, first shown", half, "def f(x):\n    return abs(x) * 2", 1, [2][]string{{"2 of 3"}, {"2 of 3", "-failed"}}},
		{"raises", "def aux(x):\n    return 1 / 0", twice, 1, [2][]string{{"0 of 3", "ZeroDivisionError: division by zero"}, {"ZeroDivisionError"}}},
		{"no main", half, "I cannot.", 1, [2][]string{{"-Tests"}, {"f was not found"}}},
		{"syntax", "def aux(x):\n    return (x", "def f(x):\n    return 1", 1, [2][]string{{"does not parse", "line"}, {"does not parse", "line"}}},
		{"prints a lot", half, "def f(x):\n    for i in range(10**5):\n        print('line', i)\n    return aux(x)", 1, [2][]string{{"3 of 3"}, {"3 of 3"}}},
		{"prints", half, "def f(x):\n    print('{\"error\": \"none\"}')\n    return 2 * x + 1", -1, [2][]string{{"0 of 3"}, {"candidate(-3) == -6 failed: AssertionError", "-candidate(1)"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			task := &Task{name: "humaneval", scorer: Scorer{Sandboxes: sandboxes(t)}}
			got, err := task.Report(t.Context(), doubled, []string{c.aux, c.main}, c.shown)
			if err != nil {
				t.Fatal(err)
			}
			for agent, wants := range c.want {
				for _, want := range wants {
					text, absent := strings.CutPrefix(want, "-")
					if strings.Contains(got[agent], text) == absent {
						t.Errorf("agent %d is told %q, want %q", agent+1, got[agent], want)
					}
				}
			}
		})
	}
}

// TestReportEnds: after three time-outs the tests that are left are not run, as in scoring.
func TestReportEnds(t *testing.T) {
	p := task.Problem{ID: "d", Question: "Wait.", Fields: map[string]string{
		FieldEntry: "f",
		FieldTests: "def check(candidate):\n",
	}}
	for i := range 10 {
		p.Fields[FieldTests] += fmt.Sprintf("    assert candidate(%d) == 2\n", i)
	}
	waiting := &Task{name: "humaneval", scorer: Scorer{Sandboxes: sandboxes(t), PerTest: 300 * time.Millisecond}}
	got, err := waiting.Report(t.Context(), p, []string{"", "def f(x):\n    while True:\n        pass"}, 0)
	if err != nil || strings.Count(got[1], "takes too long") < 3 || strings.Count(got[1], "was not run") != 7 || !strings.Contains(got[1], "0 of 10") {
		t.Errorf("%q, %v", got, err)
	}
}

// TestAuxRaises: a test that fails by an exception out of aux is known as such, one that fails by itself is not.
func TestAuxRaises(t *testing.T) {
	task := &Task{name: "humaneval", scorer: Scorer{Sandboxes: sandboxes(t)}}
	for aux, want := range map[string]bool{"def aux(x):\n    return 1 / 0": true, "def aux(x):\n    return x": false} {
		score, err := task.Score(t.Context(), doubled, []string{aux, "def f(x):\n    y = aux(x)\n    return y + 1"})
		if err != nil || score.Signals.Raised == nil || *score.Signals.Raised != want {
			t.Errorf("%q: raised %v, %v; want %v", aux, score.Signals.Raised, err, want)
		}
	}
}
