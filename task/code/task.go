// Package code is MAGRPO's code tasks (§7): HumanEval, CoopHumanEval and MBPP, answered by a pair. The first agent writes a
// helper aux(…), the last agent the asked function, which may call aux without having seen it.
//
//	sandboxes, err := code.OpenSandboxes(ctx, 0)         // the sandbox
//	t, err := code.New(ctx, code.Options{Name: "humaneval", Sandboxes: sandboxes})
//	score, err := t.Score(problem, responses)
//
// Everything about Python is done by Python inside the sandbox (package sandbox): python/response.py finds code in what agents
// wrote, python/extract.py the function they were asked for, python/structure.py takes functions and tests apart,
// python/cooperation.py looks at how the main function uses aux, python/calls.py runs tests. Go decides what is run and what it
// earns ([Scorer] in score.go).
//
// The standard reward (§7.1) runs each test in the program's own process. The robust reward (§7.2) runs it in another sandbox:
// the function under test is a remote call there, and arguments and results cross as plain data, so that nothing the program
// does to its own interpreter matters. It pays for cooperation only where aux has influence, which two counterfactual runs
// find out. The compat reward follows the rules on lines of the published code and is for comparisons only.
package code

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"parley/task"
	"parley/task/dataset"
	"parley/task/sandbox"
)

//go:embed data/*.jsonl.gz
var shipped embed.FS

// What recipes call the tasks.
const (
	humanEval     = "humaneval"
	coopHumanEval = "coophumaneval"
	mbpp          = "mbpp"
)

// Names are the tasks of this package.
var Names = []string{humanEval, coopHumanEval, mbpp}

// Options say which problems there are and how they are scored.
type Options struct {
	Name      string             // one of [Names]
	Path      string             // of a data set; without held-out files one problem in five is held out. Empty: the data set inside the program
	Made      bool               // it is the one of parley's own problems for small bases
	Cache     string             // folder of the data sets that were pulled
	Variant   task.RewardVariant // empty: standard
	Drop      bool               // leave out items whose tests are known to be wrong
	Unaudited bool               // the robust reward is not computed beside another one
	Sandboxes *Sandboxes         // where responses are run

	PerTest time.Duration // wall time of one test; 0: 10 s
	Memory  int64         // bytes of one test; 0: 512 MiB
}

// A Task is one of the code tasks. It implements [task.Task] and [task.JointScorer].
type Task struct {
	*dataset.Loaded
	name   string
	scorer Scorer
	known  sandbox.Memo[judgment]
}

// New loads the problems.
func New(ctx context.Context, o Options) (*Task, error) {
	if !slices.Contains(Names, o.Name) {
		return nil, fmt.Errorf("code task %q is not known: write %s", o.Name, strings.Join(Names, ", "))
	}
	if o.Variant == "" {
		o.Variant = task.Standard
	}
	if err := o.Variant.Check(); err != nil {
		return nil, fmt.Errorf("task %s: %w", o.Name, err)
	}
	loaded, err := o.load(ctx)
	if err != nil {
		return nil, fmt.Errorf("task %s: %w", o.Name, err)
	}
	t := &Task{Loaded: loaded, name: o.Name, scorer: Scorer{Sandboxes: o.Sandboxes, Variant: o.Variant, Unaudited: o.Unaudited, PerTest: o.PerTest, Memory: o.Memory}}
	if o.Drop {
		for split, list := range t.Splits {
			t.Splits[split] = slices.DeleteFunc(list, func(p task.Problem) bool { return damageOf(o.Name, p.ID) != "" })
		}
	}
	return t, nil
}

func (o Options) load(ctx context.Context) (*dataset.Loaded, error) {
	file := o.Name
	if o.Made {
		file += "-made"
	}
	all, err := inBinary(file)
	if err != nil {
		return nil, err
	}
	switch {
	case o.Path == "" && o.Made:
		return dataset.Apart(all[:len(all)/2], all[len(all)/2:])
	case o.Path == "":
		return dataset.Apart(release(o.Name, all))
	}
	return dataset.Load(ctx, o.Path, o.Cache, task.Rows(ReadProblem), func(own []task.Problem) (train, held []task.Problem) {
		if slices.EqualFunc(own, all, func(a, b task.Problem) bool { return a.ID == b.ID && a.Question == b.Question }) {
			return release(o.Name, own)
		}
		return nil, nil
	})
}

// inBinary reads the data set inside the program.
func inBinary(name string) ([]task.Problem, error) {
	file := "data/" + name + ".jsonl.gz"
	r, err := shipped.Open(file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return Read(file, r)
}

// release cuts a data set as the release does: HumanEval trains on [33:133], CoopHumanEval on [:50], MBPP on [15:65]. What was
// published for evaluation comes first in the test split, [:32], [50:66] and [:15]; items of neither follow, final ones last.
// All are slices of public test sets.
func release(name string, all []task.Problem) (train, held []task.Problem) {
	cuts := map[string][2]int{humanEval: {33, 133}, coopHumanEval: {0, 50}, mbpp: {15, 65}}[name]
	return slices.Clone(all[cuts[0]:cuts[1]]), slices.Concat(all[:cuts[0]], all[cuts[1]:])
}

// Name implements [task.Task].
func (t *Task) Name() string { return t.name }

// Problems implements [task.Task]: problems are in the order of their file.
func (t *Task) Problems(split task.Split, n int) ([]task.Problem, error) {
	return t.Of(t.name, split, n)
}

// Score implements [task.JointScorer]: the first response holds aux, the last one the asked function. A single response is
// the asked function alone, which earns at most [MostAlone].
func (t *Task) Score(ctx context.Context, p task.Problem, responses []string) (task.Score, error) {
	j, err := t.judge(ctx, p, responses)
	if err != nil {
		return task.Score{}, err
	}
	score := j.Score()
	score.Signals = j.facts(len(responses), j.audit, t.scorer.Variant == task.Robust)
	return score, nil
}

// ScoreItem scores responses and returns all that was found out.
func (t *Task) ScoreItem(ctx context.Context, p task.Problem, responses []string) (Report, error) {
	r, _, err := t.scored(ctx, p, responses)
	return r, err
}

// A judgment is what a submission is paid for, and what the robust reward would pay, nil where that is not known.
type judgment struct {
	Report
	audit *Report
}

// judge scores responses, or remembers what came of them.
func (t *Task) judge(ctx context.Context, p task.Problem, responses []string) (judgment, error) {
	said, err := json.Marshal([]any{p.ID, p.Question, responses})
	if err != nil {
		return judgment{}, fmt.Errorf("task %s: %w", t.name, err)
	}
	j, err := t.known.Of(string(said), func() (judgment, error) {
		r, e, err := t.scored(ctx, p, responses)
		if err != nil {
			return judgment{}, err
		}
		audit, err := t.scorer.audit(ctx, r, e)
		if err != nil {
			return judgment{}, fmt.Errorf("task %s: %w", t.name, err)
		}
		return judgment{r, audit}, nil
	})
	j.Parts = maps.Clone(j.Parts)
	return j, err
}

func (t *Task) scored(ctx context.Context, p task.Problem, responses []string) (Report, evidence, error) {
	if len(responses) == 0 {
		return Report{}, evidence{}, fmt.Errorf("task %s: no responses", t.name)
	}
	r, e, err := t.scorer.score(ctx, submission(p, responses))
	if err != nil {
		return Report{}, evidence{}, fmt.Errorf("task %s: %w", t.name, err)
	}
	r.Damaged = damageOf(t.name, p.ID) != ""
	return r, e, nil
}

// Range implements [task.JointScorer].
func (t *Task) Range() (least, greatest float64) { return 0, Most }

// Close ends the sandboxes, if there are any.
func (t *Task) Close() error {
	if t.scorer.Sandboxes == nil {
		return nil
	}
	return t.scorer.Sandboxes.Close()
}
