package classeval

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/task"
	"parley/task/code"
	"parley/task/sandbox"
)

// Report implements [task.Reporter] (§9): every agent is told which of its methods are missing or do not parse and which ones another
// agent wrote too, whether the class compiles, how many unit tests passed, and how the shown ones failed.
func (t *Task) Report(ctx context.Context, p task.Problem, responses []string, shown int) ([]string, error) {
	it, err := itemOf(p)
	if err != nil {
		return nil, err
	}
	e, err := t.sandboxes.analyze(ctx, it, responses)
	if err != nil {
		return nil, fmt.Errorf("task classeval: %w", err)
	}
	class, err := t.tests(ctx, it, e, code.Slice(shown))
	if err != nil {
		return nil, fmt.Errorf("task classeval: %w", err)
	}
	out := make([]string, len(responses))
	for i := range out {
		out[i] = strings.Join(append(written(e, i, assigned(p, it, i, len(responses))), class...), "\n")
	}
	return out, nil
}

// assigned are the methods that an agent was asked for: of a pair those of its own, else all.
func assigned(p task.Problem, it item, agent, agents int) []string {
	if agents != 2 {
		return it.Methods
	}
	mine := p.Fields[[]string{FieldFirst, FieldSecond}[agent]]
	return slices.DeleteFunc(strings.Split(mine, ", "), func(s string) bool { return s == "" })
}

// written says what of the methods that an agent was asked for is there. Those of another agent's are not missed.
func written(e analysis, agent int, asked []string) []string {
	mine := e.Agents[agent].Methods
	byOthers := map[string]bool{}
	for i, a := range e.Agents {
		for _, m := range a.Methods {
			byOthers[m] = byOthers[m] || i != agent
		}
	}
	var missing, twice, lines []string
	for _, m := range asked {
		if !slices.Contains(mine, m) && !byOthers[m] {
			missing = append(missing, m)
		}
	}
	for _, m := range slices.Sorted(maps.Keys(unique(mine))) {
		if byOthers[m] {
			twice = append(twice, m)
		}
	}
	lines = line(lines, "Your methods that were found: %s.", slices.Sorted(maps.Keys(unique(mine))))
	lines = line(lines, "Methods that nobody has written: %s.", missing)
	lines = line(lines, "Methods that another agent wrote too: %s.", twice)
	for _, m := range slices.Sorted(maps.Keys(e.Agents[agent].Faults)) {
		lines = append(lines, fmt.Sprintf("Your method %s does not parse: %s.", m, e.Agents[agent].Faults[m]))
	}
	return lines
}

// line adds a line about methods where there are some.
func line(lines []string, format string, methods []string) []string {
	if len(methods) == 0 {
		return lines
	}
	return append(lines, fmt.Sprintf(format, strings.Join(methods, ", ")))
}

// tests says whether the merged class compiles, runs all its unit tests, and says of the shown ones that fail how.
func (t *Task) tests(ctx context.Context, it item, e analysis, shown code.Slice) ([]string, error) {
	switch {
	case !e.Compiles:
		return []string{fmt.Sprintf("The class does not compile: %s.", e.Fault)}, nil
	case t.generation == October2025 || len(e.Tests) == 0:
		return nil, nil
	}
	faults := slices.Repeat([]string{"it was not run: tests before it take too long"}, len(e.Tests))
	passing := 0
	err := each(ctx, t.budget, it, e, t.sandboxes.reported, func(i int, r sandbox.Result) {
		if faults[i] = fault(r); faults[i] == "" {
			passing++
		}
	})
	lines := []string{fmt.Sprintf("Unit tests passed: %d of %d.", passing, len(e.Tests))}
	for _, i := range shown.Of(len(faults)) {
		if faults[i] != "" {
			lines = append(lines, fmt.Sprintf("%s.%s failed: %s", e.Tests[i][0], e.Tests[i][1], faults[i]))
		}
	}
	return lines, err
}

// fault says how a test fails; empty: it passes. What it says is the program's own word and earns nothing.
func fault(r sandbox.Result) string {
	if r.Status == sandbox.TimedOut {
		return "it takes too long"
	}
	said := bytes.TrimSpace(r.Stdout)
	var f struct {
		Error *string `json:"error"`
	}
	if json.Unmarshal(said[bytes.LastIndexByte(said, '\n')+1:], &f) != nil || f.Error == nil {
		return "the program ended"
	}
	return *f.Error
}
