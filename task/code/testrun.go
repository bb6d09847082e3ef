package code

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"parley/task/sandbox"
)

// An outcome is that of one test.
type outcome int

const (
	failed outcome = iota
	passed
	timedOut
	auxRaised // an exception out of aux failed the test
	lost      // the sandbox was lost, so nothing is known of the program
	foreign   // a result cannot cross between two sandboxes, so it cannot be compared there
)

// A testRun is a submission whose tests are run.
type testRun struct {
	sandboxes *Sandboxes
	entry     string
	facts     Analysis
	limits    sandbox.Limits
	solution  string // a program that is known to be right; empty: there is none
}

// A witness is a test that passed, with the arguments of the calls of aux in it; nil: they are not known.
type witness struct {
	Test
	asked []json.RawMessage

	kind    string // the type of a result that cannot be compared
	leftOut bool   // the right program's result cannot be compared either: the test is left out
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

// inProcess runs a test in the program's own process. A notary in another sandbox is told how it ends.
func (t testRun) inProcess(ctx context.Context, test Test) (witness, outcome, error) {
	o, err := t.run(func() (outcome, error) {
		r, err := t.sandboxes.join(ctx, sandbox.Program{
			Source:   "import parley_together\nparley_together.notarize(argument, channel)",
			Argument: map[string]any{"setup": orEmpty(test.Setup), "source": test.Source},
			Limits:   t.limits,
		}, sandbox.Program{
			Source:   "import parley_together\nparley_together.test(argument, channel)",
			Argument: map[string]any{"program": t.facts.Program, "entry": t.entry, "candidate": t.facts.Candidate},
			Limits:   t.limits,
		})
		return outcomeOf(r), err
	})
	return witness{Test: test}, o, err
}

// isolated runs a test in one sandbox and the program in another.
func (t testRun) isolated(ctx context.Context, test Test) (witness, outcome, error) {
	w := witness{Test: test}
	var kind string // of a result that cannot be compared
	p := program{Program: t.facts.Program, Entry: t.entry, Record: t.facts.Used}
	var told [][]json.RawMessage
	o, err := t.judged(ctx, test, p, judging{Tell: tellAsked}, &told, &kind)
	if o == foreign && err == nil {
		w.kind = kind
		if t.solution == "" {
			return w, foreign, nil
		}
		right, err := t.judged(ctx, test, program{Program: t.solution, Entry: t.entry}, judging{}, nil)
		w.leftOut = right == foreign
		return w, foreign, err
	}
	for _, asked := range told {
		if asked == nil {
			return witness{Test: test}, o, err
		}
		w.asked = append(w.asked, asked...)
	}
	return w, o, err
}

// A program is what [testRun.judged] runs in the sandbox of programs (serve in python/calls.py).
type program struct {
	Program   string `json:"program"`
	Entry     string `json:"entry"`
	Elsewhere bool   `json:"elsewhere"` // aux is not in the program: the judge answers its calls
	Record    bool   `json:"record"`    // the arguments of the calls of aux
}

// A judging is what the judge is asked beside the test.
type judging struct {
	Aux  *answers `json:"aux"`
	Tell string   `json:"tell"` // of every call of the tested function; empty: nothing
}

const (
	tellAsked  = "asked"  // the arguments of new calls of aux
	tellPassed = "passed" // its arguments, its outcome, and the calls of aux
)

// judged runs a test here and the program there. told takes what the judge tells.
func (t testRun) judged(ctx context.Context, test Test, p program, j judging, told any, kind ...*string) (outcome, error) {
	return t.run(func() (outcome, error) {
		r, err := t.sandboxes.join(ctx, sandbox.Program{
			Source: "import parley_calls\nparley_calls.judge(argument, channel)",
			Argument: struct {
				judging
				Test
				Prelude   string `json:"prelude"`
				Candidate string `json:"candidate"`
				Entry     string `json:"entry"`
			}{j, Test{orEmpty(test.Setup), test.Source}, t.facts.Prelude, t.facts.Candidate, t.entry},
			Limits: t.telling(),
		}, p.sandboxed(t.limits))
		o := outcomeOf(r)
		if o == passed && told != nil && json.Unmarshal(lastLine(r.Stdout), told) != nil {
			o = failed
		}
		if r.Status == sandbox.Exited && r.Code == foreignCode {
			o = foreign
			for _, k := range kind {
				if json.Unmarshal(lastLine(r.Stdout), k) != nil {
					o = failed
				}
			}
		}
		return o, err
	})
}

func (p program) sandboxed(limits sandbox.Limits) sandbox.Program {
	return sandbox.Program{Source: "import parley_calls\nparley_calls.serve(argument, channel)", Argument: p, Limits: limits}
}

// telling are the limits of trusted programs that print what they found.
func (t testRun) telling() sandbox.Limits {
	limits := t.limits
	limits.Output = 16 << 20
	return limits
}

func lastLine(text []byte) []byte {
	text = bytes.TrimSpace(text)
	return text[bytes.LastIndexByte(text, '\n')+1:]
}

func outcomeOf(r sandbox.Result) outcome {
	switch {
	case r.Status == sandbox.TimedOut:
		return timedOut
	case r.Status == sandbox.Lost:
		return lost
	case r.OK():
		return passed
	case r.Status == sandbox.Exited && r.Code == auxRaisedCode:
		return auxRaised
	}
	return failed
}

// auxRaisedCode is the exit code for a test that an exception out of aux failed (CODES in python/together.py). A program may forge
// it: nothing is paid by it.
const auxRaisedCode = 7

// foreignCode is the exit code of the judge where a result cannot be compared (NOT_COMPARABLE in python/calls.py).
const foreignCode = 9

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// slowness is how much longer programs take together where they do not start in milliseconds: the robust reward runs dozens for a submission.
const slowness = 8

// limitsOf are those of the tests of one submission; programs print into nothing. However often and in whatever ways the tests are run,
// they have little more time together than the published rule leaves to tests that hang; more of it where every program is slow to start.
func limitsOf(l *Sandboxes, perTest time.Duration, memory int64) sandbox.Limits {
	if perTest == 0 {
		perTest = sandbox.DefaultWall
	}
	budget := (mostTimeOuts + 1) * perTest
	if !l.quick() {
		budget *= slowness
	}
	return sandbox.Limits{Wall: perTest, Memory: memory, Budget: sandbox.NewBudget(budget)}
}
