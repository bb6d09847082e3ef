package executor

import (
	"context"
	"fmt"
)

// MostTests is the most assertions of a text that are run.
const MostTests = 6

// A TestJob is a program with assertions about it, both as an agent wrote them.
type TestJob struct {
	Program string `json:"program"`
	Tests   string `json:"tests"`
}

// Tested is how many tests a program passes. First is about the first that it does not: the test, and why.
type Tested struct {
	Passed, Tests int
	First         string
}

// Tests runs at most [MostTests] assertions, each in a process of its own. A text without any has one test, which fails.
func (e *Executor) Tests(ctx context.Context, job TestJob) (Tested, error) {
	var list struct {
		Tests []string `json:"tests"`
		Setup string   `json:"setup"`
	}
	if ended, err := e.run(ctx, "asserts", map[string]any{"tests": job.Tests, "most": MostTests}, &list); err != nil || ended != "" {
		return Tested{Tests: 1, First: "the tests cannot be read"}, err
	}
	if len(list.Tests) == 0 {
		return Tested{Tests: 1, First: "there is no assertion to run"}, nil
	}
	out := Tested{Tests: len(list.Tests)}
	for _, test := range list.Tests {
		var v verdict
		ended, err := e.run(ctx, "test", map[string]any{"program": job.Program, "setup": list.Setup, "test": test}, &v)
		switch {
		case err != nil:
			return out, err
		case ended == "" && v.Stage == "passed":
			out.Passed++
		case out.First != "":
		case v.Stage == "define":
			out.First = v.Error
			return out, nil // it fails them all
		default:
			out.First = test + ": " + ended + v.Error
		}
	}
	return out, nil
}

// String is the report: such as passed 1 of 2: assert f(2) == 4: AssertionError.
func (t Tested) String() string {
	text := fmt.Sprintf("passed %d of %d", t.Passed, t.Tests)
	if t.First != "" {
		text += ": " + t.First
	}
	return text
}
