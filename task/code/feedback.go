package code

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/task"
	"parley/task/sandbox"
)

// Report implements [task.Reporter] (§9): every agent is told whether its function is there and parses, how many tests passed and
// which of the shown ones failed with what; the last agent also how its function uses aux.
func (t *Task) Report(ctx context.Context, p task.Problem, responses []string, shown int) ([]string, error) {
	s := submission(p, responses)
	facts, err := t.scorer.Sandboxes.Analyze(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("task %s: %w", t.name, err)
	}
	tests, err := t.tests(ctx, s, facts, Slice(shown))
	if err != nil {
		return nil, fmt.Errorf("task %s: %w", t.name, err)
	}
	out := make([]string, len(responses))
	for i := range out {
		if i < len(out)-1 {
			out[i] = join(found("aux", facts.Aux != "", facts.AuxReturns), syntax(facts), tests)
		} else {
			out[i] = join(found(s.Entry, facts.Main != "", facts.MainReturns), syntax(facts), tests, usage(facts, len(responses)))
		}
	}
	return out, nil
}

func submission(p task.Problem, responses []string) Submission {
	s := Submission{Entry: p.Fields[FieldEntry], Prompt: p.Question, Tests: p.Fields[FieldTests], Main: responses[len(responses)-1], Solution: p.Fields[FieldSolution]}
	if len(responses) > 1 {
		s.Aux = responses[0]
	}
	return s
}

func join(lines ...string) string {
	return strings.Join(slices.DeleteFunc(lines, func(s string) bool { return s == "" }), "\n")
}

func found(name string, found, returns bool) string {
	switch {
	case !found:
		return fmt.Sprintf("Your function %s was not found.", name)
	case !returns:
		return fmt.Sprintf("Your function %s was found, but it returns nothing.", name)
	}
	return fmt.Sprintf("Your function %s was found.", name)
}

func syntax(facts Analysis) string {
	switch {
	case facts.Main == "" || facts.Parses:
		return ""
	case facts.Fault != "":
		return "The program of aux and main does not parse: " + facts.Fault + "."
	}
	return "The program of aux and main does not parse."
}

// usage says how main uses aux, by its syntax tree: a value that is bound to a name and read later is used.
func usage(facts Analysis, responses int) string {
	switch {
	case responses < 2 || facts.Main == "":
		return ""
	case !facts.Calls:
		return "It does not call aux."
	case facts.Aux == "":
		return "It calls aux, but the other agent has not written it."
	case !facts.Used:
		return "It gives the name aux a meaning of its own instead of calling the other agent's function."
	case facts.Ignored:
		return "It calls aux, but does nothing with the value of some call."
	case facts.Wrapper:
		return "It only passes on what aux returns."
	}
	return "It calls aux and uses its value."
}

// tests runs all tests, and says of the shown ones that fail how.
func (t *Task) tests(ctx context.Context, s Submission, facts Analysis, shown Slice) (string, error) {
	if facts.Main == "" || !facts.Parses || len(facts.Tests) == 0 {
		return "", nil
	}
	run := testRun{sandboxes: t.scorer.Sandboxes, entry: s.Entry, facts: facts, limits: limitsOf(t.scorer.Sandboxes, t.scorer.PerTest, t.scorer.Memory)}
	faults, err := run.faults(ctx, facts.Tests)
	if err != nil {
		return "", err
	}
	passing := len(faults) - len(slices.DeleteFunc(slices.Clone(faults), func(s string) bool { return s == "" }))
	lines := []string{fmt.Sprintf("Tests passed: %d of %d.", passing, len(faults))}
	for _, i := range shown.Of(len(faults)) {
		if faults[i] != "" {
			lines = append(lines, fmt.Sprintf("%s failed: %s", facts.Tests[i].Source, faults[i]))
		}
	}
	return strings.Join(lines, "\n"), nil
}

// tooLong is how a test fails that does not end.
const tooLong = "it takes too long"

// faults says how each test fails; empty: it passes. As in scoring, what comes after the third time-out is not run.
func (t testRun) faults(ctx context.Context, tests []Test) ([]string, error) {
	out, late := make([]string, len(tests)), 0
	for i, test := range tests {
		if late == mostTimeOuts {
			out[i] = "it was not run: too many before it take too long"
			continue
		}
		var err error
		if out[i], err = t.fault(ctx, test); err != nil {
			return nil, err
		}
		if out[i] == tooLong {
			late++
		}
	}
	return out, nil
}

// fault says how a test fails; empty: it passes. What it says is the program's own word and earns nothing.
func (t testRun) fault(ctx context.Context, test Test) (string, error) {
	limits := t.limits
	limits.Output = 64 << 10
	said := ""
	o, err := t.run(func() (outcome, error) {
		r, err := t.sandboxes.programs.Run(ctx, sandbox.Program{
			Source: "import parley_fault\nparley_fault.report(argument)",
			Argument: map[string]any{
				"program": t.facts.Program, "entry": t.entry, "candidate": t.facts.Candidate,
				"setup": orEmpty(test.Setup), "source": test.Source,
			},
			Limits: limits,
		})
		var fault struct {
			Error string `json:"error"`
		}
		if lines := strings.Split(strings.TrimSpace(string(r.Stdout)), "\n"); json.Unmarshal([]byte(lines[len(lines)-1]), &fault) == nil {
			said = fault.Error
		} else {
			said = "the program ended"
		}
		return outcomeOf(r), err
	})
	switch {
	case o == timedOut:
		return tooLong, err
	case o != passed && said == "":
		return "the program ended", err
	}
	return said, err
}

// A Slice chooses the assertions that feedback between turns shows: 0 all, k the first k, −k the last k.
type Slice int

// Of returns the indices of the assertions shown, of n.
func (s Slice) Of(n int) []int {
	from, to := 0, n
	switch {
	case s > 0:
		to = min(int(s), n)
	case s < 0:
		from = max(n+int(s), 0)
	}
	shown := make([]int, 0, to-from)
	for i := from; i < to; i++ {
		shown = append(shown, i)
	}
	return shown
}
