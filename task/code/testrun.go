package code

import (
	"context"
	"crypto/sha256"
	"time"

	"parley/sandbox"
)

// A counterfactual says in which way a program is run differently.
type counterfactual int

const (
	asWritten   counterfactual = iota
	perturbed1                 // aux returns other values: v+1, v+v, …
	perturbed2                 // aux returns other values: −v−1, empty, …
	passThrough                // aux is tested in the place of main
)

// An outcome is that of one test.
type outcome int

const (
	failed outcome = iota
	passed
	timedOut
	auxRaised // an exception out of aux failed the test
	lost      // the sandbox was: nothing is known of the program
)

// A testRun is a submission whose tests are run.
type testRun struct {
	sandboxes *Sandboxes
	entry     string
	facts     Analysis
	limits    sandbox.Limits
}

// run runs a test, once more where its sandbox was lost. A second loss is put down to the program.
func (t testRun) run(once func() (outcome, error)) (outcome, error) {
	t.sandboxes.slots <- struct{}{}
	defer func() { <-t.sandboxes.slots }()
	o, err := once()
	if o == lost && err == nil {
		if o, err = once(); o == lost {
			o = failed
		}
	}
	return o, err
}

// inProcess runs a test in the program's own process.
func (t testRun) inProcess(ctx context.Context, test Test) (outcome, error) {
	return t.run(func() (outcome, error) { return t.inProcessOnce(ctx, test) })
}

// isolated runs a test in one sandbox and the program in another.
func (t testRun) isolated(ctx context.Context, test Test, c counterfactual) (outcome, error) {
	return t.run(func() (outcome, error) { return t.isolatedOnce(ctx, test, c) })
}

func (t testRun) inProcessOnce(ctx context.Context, test Test) (outcome, error) {
	success := successCode(t.facts.Program, test.Source)
	r, err := t.sandboxes.programs.Run(ctx, sandbox.Program{
		Source: "import parley_calls\nparley_calls.together(argument)",
		Argument: map[string]any{
			"program": t.facts.Program, "entry": t.entry, "candidate": t.facts.Candidate,
			"setup": orEmpty(test.Setup), "source": test.Source, "success": success,
		},
		Limits: t.limits,
	})
	return outcomeOf(r, success), err
}

func (t testRun) isolatedOnce(ctx context.Context, test Test, c counterfactual) (outcome, error) {
	entry, variant := t.entry, int(c)
	if c == passThrough {
		entry, variant = "aux", 0
	}
	r, err := t.sandboxes.join(ctx, sandbox.Program{
		Source: "import parley_calls\nparley_calls.judge(argument, channel)",
		Argument: map[string]any{
			"prelude": t.facts.Prelude, "candidate": t.facts.Candidate, "entry": t.entry,
			"setup": orEmpty(test.Setup), "source": test.Source,
		},
		Limits: t.limits,
	}, sandbox.Program{
		Source:   "import parley_calls\nparley_calls.serve(argument, channel)",
		Argument: map[string]any{"program": t.facts.Program, "entry": entry, "variant": variant},
		Limits:   t.limits,
	})
	return outcomeOf(r, 0), err
}

func outcomeOf(r sandbox.Result, success int) outcome {
	switch {
	case r.Status == sandbox.TimedOut:
		return timedOut
	case r.Status == sandbox.Lost:
		return lost
	case r.Status == sandbox.Exited && r.Code == success:
		return passed
	case r.Status == sandbox.Exited && r.Code == auxRaisedCode:
		return auxRaised
	}
	return failed
}

// auxRaisedCode is the exit code of a test that an exception out of aux failed. A program may forge it: nothing is paid by it.
const auxRaisedCode = 7

// successCode is between 64 and 255 and a function of what is run, so that scores are, and programs cannot tell it.
func successCode(program, test string) int {
	sum := sha256.Sum256([]byte(program + "\x00" + test))
	return 64 + int(sum[0])*192/256
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// limitsOf are those of the tests of one submission; programs print into nothing. However often and in whatever ways the tests are run,
// they have little more time together than the published rule leaves to tests that hang.
func limitsOf(perTest time.Duration, memory int64) sandbox.Limits {
	if perTest == 0 {
		perTest = sandbox.DefaultWall
	}
	return sandbox.Limits{Wall: perTest, Memory: memory, Budget: sandbox.NewBudget((mostTimeOuts + 1) * perTest)}
}
