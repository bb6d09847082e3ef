package code

import (
	"context"
	"fmt"

	"parley/task"
)

// Solution runs a problem's tests on a whole program as it is, such as a reference solution: nothing is extracted from it. It
// fills in the tests of the report and nothing else.
func (sc Scorer) Solution(ctx context.Context, p task.Problem, program string) (Report, error) {
	entry := p.Fields[FieldEntry]
	facts, err := sc.Sandboxes.Analyze(ctx, Submission{Entry: entry, Prompt: p.Question, Tests: p.Fields[FieldTests]})
	if err != nil {
		return Report{}, err
	}
	facts.Program = program
	r := Report{Parts: map[string]float64{}}
	if len(facts.Tests) == 0 {
		r.Stopped = StopNoTests
		return r, nil
	}
	if _, err := r.test(ctx, facts.Tests, sc.runner(testRun{sandboxes: sc.Sandboxes, entry: entry, facts: facts, limits: limitsOf(sc.Sandboxes, sc.PerTest, sc.Memory)})); err != nil {
		return Report{}, fmt.Errorf("run tests: %w", err)
	}
	return r, nil
}

// runner is the way in which the scorer runs a test.
func (sc Scorer) runner(t testRun) func(context.Context, Test) (witness, outcome, error) {
	if sc.Variant != task.Robust {
		return t.inProcess
	}
	return t.isolated
}
