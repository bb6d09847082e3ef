package code

import (
	"context"
	"fmt"
	"time"

	"parley/task"
)

// Parts of the reward, §7.1.
const (
	partAux        = "aux_defined"
	partMain       = "main_defined"
	partSyntax     = "syntax"
	partTests      = "tests"
	partUse        = "use"
	partNonWrapper = "non_wrapper"
	partIgnored    = "ignored"
)

// Most is the greatest reward of a pair, MostAlone that of a single agent, who has no aux.
const (
	Most      = 4.0
	MostAlone = 2.1
)

// mostTimeOuts is after how many time-outs the remaining tests count as failed.
const mostTimeOuts = 3

// Stop names the level at which the scoring of a submission ended.
type Stop string

const (
	StopNone       Stop = ""           // all levels were scored
	StopDefinition Stop = "definition" // there is no main function
	StopSyntax     Stop = "syntax"     // the program does not parse
	StopNoTests    Stop = "no_tests"   // there is no readable test
)

// A Report is everything that scoring found out.
type Report struct {
	Parts       map[string]float64
	Passed      int
	Total       int
	TimeOuts    int
	OutOfTime   bool // the tests together took all the time that a submission has
	Stopped     Stop
	Cascade     bool     // aux breaks a program whose main parses alone
	AuxRaised   int      // tests that an exception out of aux failed; those run in another sandbox do not tell
	Damaged     bool     // the item's own tests are known to be wrong
	Foreign     []string // tests whose result the robust scorer cannot compare, each with the type of the result
	Scheme      Scheme
	Influences  *bool // aux has influence on the outcome; nil: not evaluated
	PassThrough *bool // aux alone passes what main passes; nil: not evaluated
}

// Reward is the sum of the parts.
func (r Report) Reward() float64 {
	return r.Parts[partAux] + r.Parts[partMain] + r.Parts[partSyntax] + r.Parts[partTests] + r.Parts[partUse] + r.Parts[partNonWrapper] + r.Parts[partIgnored]
}

// Flags names what a reader of scores should know.
func (r Report) Flags() []string {
	var flags []string
	for _, f := range []struct {
		name string
		on   bool
	}{
		{"no_tests", r.Stopped == StopNoTests},
		{"damaged", r.Damaged},
		{"cascade", r.Cascade},
		{"not_comparable", len(r.Foreign) > 0},
		{"timeout", r.TimeOuts > 0},
		{"out_of_time", r.OutOfTime},
		{"aux_without_influence", r.Influences != nil && !*r.Influences},
		{"pass_through", r.PassThrough != nil && *r.PassThrough},
	} {
		if f.on {
			flags = append(flags, f.name)
		}
	}
	return flags
}

// Score turns a report into what a task returns.
func (r Report) Score() task.Score {
	return task.Score{Reward: r.Reward(), Parts: r.Parts, Flags: r.Flags()}
}

// A Scorer scores submissions in one way.
type Scorer struct {
	Sandboxes *Sandboxes
	Variant   task.RewardVariant // empty: standard
	Unaudited bool               // the robust reward is not computed beside another one
	PerTest   time.Duration      // wall time of one test; 0: 10 s
	Memory    int64              // bytes of one test; 0: 512 MiB
}

// Score scores one submission (§7.1, §7.2).
func (sc Scorer) Score(ctx context.Context, s Submission) (Report, error) {
	r, _, err := sc.score(ctx, s)
	return r, err
}

// evidence is what a submission was scored by.
type evidence struct {
	run     testRun
	passing []witness
}

func (sc Scorer) score(ctx context.Context, s Submission) (Report, evidence, error) {
	facts, err := sc.Sandboxes.analyze(ctx, s, sc.Variant == task.Compat)
	if err != nil {
		return Report{}, evidence{}, err
	}
	r := Report{Cascade: facts.Cascade, Scheme: facts.Scheme, Parts: map[string]float64{
		partAux: 0, partMain: 0, partSyntax: 0,
		partTests: 0, partUse: 0, partNonWrapper: 0, partIgnored: 0,
	}}
	r.pay(partAux, facts.AuxReturns, 0.4)
	if r.Stopped = r.levels(facts); r.Stopped != StopNone {
		return r, evidence{}, nil
	}
	t := testRun{sandboxes: sc.Sandboxes, entry: s.Entry, facts: facts, limits: limitsOf(sc.Sandboxes, sc.PerTest, sc.Memory), solution: s.Solution}
	passing, err := r.test(ctx, facts.Tests, sc.runner(t))
	if err != nil {
		return Report{}, evidence{}, fmt.Errorf("run tests: %w", err)
	}
	err = r.cooperation(ctx, t, passing, sc.Variant == task.Robust)
	r.OutOfTime = t.limits.Budget.Spent()
	return r, evidence{t, passing}, err
}

// cooperation pays for how main uses aux: by its syntax, or by what other results of aux would change.
func (r *Report) cooperation(ctx context.Context, t testRun, passing []witness, robust bool) error {
	if len(passing) == 0 || !t.facts.Used {
		return nil
	}
	r.pay(partIgnored, t.facts.Ignored, -0.5)
	if !robust {
		r.pay(partUse, true, 0.5)
		r.pay(partNonWrapper, !t.facts.Wrapper, 1)
		return nil
	}
	influences, through, err := t.cooperation(ctx, passing)
	if err != nil {
		return fmt.Errorf("run counterfactuals: %w", err)
	}
	if t.limits.Budget.Spent() { // a run that was cut short shows nothing
		influences, through = false, true
	}
	r.Influences, r.PassThrough = &influences, &through
	r.pay(partUse, influences, 0.5)
	r.pay(partNonWrapper, influences && !through, 1)
	return nil
}

func (r *Report) pay(part string, earned bool, amount float64) {
	if earned {
		r.Parts[part] = amount
	}
}

// levels pays for definitions and syntax, and says where that ends.
func (r *Report) levels(facts Analysis) Stop {
	if facts.Main == "" {
		return StopDefinition
	}
	r.pay(partMain, facts.MainReturns, 0.6)
	if !facts.Parses {
		return StopSyntax
	}
	r.pay(partSyntax, true, 0.5)
	if len(facts.Tests) == 0 {
		return StopNoTests
	}
	return StopNone
}

// test runs the tests one after the other, pays for them and returns those that passed.
func (r *Report) test(ctx context.Context, tests []Test, run func(context.Context, Test) (witness, outcome, error)) (passing []witness, err error) {
	r.Total = len(tests)
	for _, t := range tests {
		if r.TimeOuts == mostTimeOuts {
			break
		}
		w, o, err := run(ctx, t)
		if err != nil {
			return nil, err
		}
		switch o {
		case passed:
			passing = append(passing, w)
		case timedOut:
			r.TimeOuts++
		case auxRaised:
			r.AuxRaised++
		case foreign:
			r.Foreign = append(r.Foreign, fmt.Sprintf("%s: the result is a %s, which does not cross between two sandboxes: write a test of its content, or task.scorer standard", t.Source, w.kind))
			if w.leftOut {
				r.Total--
			}
		}
	}
	if r.Passed = len(passing); r.Total > 0 {
		r.Parts[partTests] = float64(r.Passed) / float64(r.Total)
	}
	return passing, nil
}

// facts are what diagnoses need of a report and of its audit, nil where there is none. Influence is measured by the audit, and there
// only where a test passed; elsewhere a main that does not use aux is what certainly has none. apart says that tests did not run in
// the program's own process.
func (r Report) facts(responses int, audit *Report, apart bool) *task.Signals {
	f := &task.Signals{Usable: []bool{r.Scheme != Invalid}, Cascade: &r.Cascade}
	if r.Stopped != StopNoTests {
		solved := r.Parts[partTests]
		f.Solved = &solved
	}
	if audit != nil {
		paid := audit.Reward()
		gamed := audit.Influences != nil && !*audit.Influences || audit.PassThrough != nil && *audit.PassThrough
		f.Audit, f.Gamed = &paid, &gamed
	}
	if responses < 2 {
		f.Cascade = nil
		return f
	}
	if !apart && r.Total > 0 {
		raised := r.AuxRaised > 0
		f.Raised = &raised
	}
	f.Usable = []bool{r.Parts[partAux] > 0, r.Scheme != Invalid}
	f.Scheme = string(r.Scheme)
	if audit != nil {
		f.Influence = audit.Influences
	}
	if f.Influence == nil {
		uses := r.Scheme != Invalid && r.Scheme != None && r.Scheme != Ignored
		f.Influence = &uses
	}
	return f
}

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
