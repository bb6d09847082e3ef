// Package classeval is MAGRPO's class-writing task (§8): agents write the methods of one class together, each those that are
// assigned to it, without seeing each other.
//
//	t, err := classeval.New(ctx, classeval.Options{Sandboxes: sandboxes})
//	score, err := t.Score(problem, responses)
//
// What agents wrote is taken apart and merged by Python itself inside the sandbox (python/classes.py), and each unit test runs
// there in a process of its own (testrun.go). The reward is arithmetic over what was found out, in two published generations:
// [Score] pays for valid methods and passed tests and charges duplicates, [ScoreOctober2025] looks only at who picked how much.
package classeval

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"slices"

	"parley/task"
	"parley/task/dataset"
	"parley/task/sandbox"
)

//go:embed data/*.jsonl.gz
var shipped embed.FS

// A Generation is one of the published rewards.
type Generation string

const (
	Current     Generation = "current"
	October2025 Generation = "2025-10" // looks at who wrote how many methods, and runs nothing
)

// Options say which problems there are and how they are scored.
type Options struct {
	Path       string             // of a data set; without held-out files one problem in five is held out. Empty: the data set inside the program
	Made       bool               // it is the one of parley's own classes for small bases
	Cache      string             // folder of the data sets that were pulled
	Generation Generation         // empty: current
	Variant    task.RewardVariant // empty: standard; or robust
	Drop       bool               // leave out items whose reference solutions cannot pass in the sandbox
	Sandboxes  *Sandboxes         // where classes are merged and run
}

// A Task is the task classeval. It implements [task.Task], [task.JointScorer] and [task.Reporter].
type Task struct {
	*dataset.Loaded
	generation Generation
	variant    task.RewardVariant
	sandboxes  *Sandboxes
	budget     budget
	known      sandbox.Memo[Tally]
}

// New loads the problems.
func New(ctx context.Context, o Options) (*Task, error) {
	if o.Generation == "" {
		o.Generation = Current
	}
	if o.Generation != Current && o.Generation != October2025 {
		return nil, fmt.Errorf("task classeval: era %q: write current or 2025-10", o.Generation)
	}
	loaded, err := o.load(ctx)
	if err != nil {
		return nil, fmt.Errorf("task classeval: %w", err)
	}
	return &Task{Loaded: loaded, generation: o.Generation, variant: o.Variant, sandboxes: o.Sandboxes, budget: usual}, nil
}

// cut is where the group ends training; another data set has no such place.
func (o Options) cut(problems []task.Problem) (train, held []task.Problem) {
	problems = o.kept(problems)
	at := slices.IndexFunc(problems, func(p task.Problem) bool { return number(p.ID) >= published })
	if at < 1 {
		return nil, nil
	}
	return problems[:at], problems[at:]
}

// kept leaves out what [Options.Drop] says.
func (o Options) kept(problems []task.Problem) []task.Problem {
	return slices.DeleteFunc(problems, func(p task.Problem) bool {
		return o.Drop && (Damage(p.ID) != "" || o.Variant == task.Robust && entangled(p.ID))
	})
}

// published is how many classes the group trains on: [:66]. It evaluates on [66:82]; the last 18 follow these here.
const published = 66

// number is that of an item, -1 for one of another data set.
func number(id string) int {
	n := -1
	if _, err := fmt.Sscanf(id, "ClassEval_%d", &n); err != nil {
		return -1
	}
	return n
}

func (o Options) load(ctx context.Context) (*dataset.Loaded, error) {
	if o.Path != "" {
		loaded, err := dataset.Load(ctx, o.Path, o.Cache, task.Rows(ReadProblem), o.cut)
		if err != nil {
			return nil, err
		}
		for split, problems := range loaded.Splits {
			loaded.Splits[split] = o.kept(problems)
		}
		return loaded, nil
	}
	file := "data/classeval.jsonl.gz"
	if o.Made {
		file = "data/classeval-made.jsonl.gz"
	}
	all, err := inBinary(file)
	if err != nil {
		return nil, err
	}
	if o.Made {
		return dataset.Apart(all[:len(all)/2], all[len(all)/2:])
	}
	return dataset.Apart(o.cut(all))
}

// inBinary reads a data set inside the program.
func inBinary(file string) ([]task.Problem, error) {
	r, err := shipped.Open(file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return Read(file, r)
}

// Name implements [task.Task].
func (t *Task) Name() string { return name }

// Problems implements [task.Task]: problems are in the order of their file.
func (t *Task) Problems(split task.Split, n int) ([]task.Problem, error) { return t.Of(name, split, n) }

// Range implements [task.JointScorer].
func (t *Task) Range() (least, greatest float64) {
	if t.generation == October2025 {
		return -2.5, 7
	}
	return -1, 6
}

// Score implements [task.JointScorer].
func (t *Task) Score(ctx context.Context, p task.Problem, responses []string) (task.Score, error) {
	it, err := itemOf(p)
	if err != nil {
		return task.Score{}, err
	}
	e, err := t.sandboxes.analyze(ctx, it, responses)
	if err != nil {
		return task.Score{}, fmt.Errorf("task classeval: %w", err)
	}
	var score task.Score
	if t.generation == October2025 {
		score, err = picked(it, e)
	} else {
		score, err = t.tested(ctx, it, e)
	}
	if err != nil {
		return task.Score{}, fmt.Errorf("task classeval: %w", err)
	}
	score.Signals = &task.Signals{Usable: usable(e), Solved: t.solved(score, e)}
	if Damage(p.ID) != "" || t.variant == task.Robust && entangled(p.ID) {
		score.Flags = append(score.Flags, "damaged")
	}
	return score, nil
}

// itemOf is what the scorer needs of a problem.
func itemOf(p task.Problem) (it item, err error) {
	if err := json.Unmarshal([]byte(p.Fields[FieldItem]), &it); err != nil {
		return item{}, fmt.Errorf("task classeval: problem %s: %w", p.ID, err)
	}
	return it, nil
}

// picked scores who wrote how many methods.
func picked(it item, e analysis) (task.Score, error) {
	covered, picks := map[string]bool{}, make([]int, len(e.Agents))
	for i, a := range e.Agents {
		for m := range unique(a.Methods) {
			covered[m] = true
			picks[i]++
		}
	}
	reward, l, gate, err := ScoreOctober2025(len(it.Methods), picks, len(covered))
	score := task.Score{Reward: reward, Parts: l.parts()}
	if gate != GateNone {
		score.Flags = []string{string(gate)}
	}
	return score, err
}

// tested scores methods and unit tests.
func (t *Task) tested(ctx context.Context, it item, e analysis) (task.Score, error) {
	var tally Tally
	if e.Compiles {
		var err error
		if tally, err = t.tally(ctx, it, e); err != nil {
			return task.Score{}, err
		}
	}
	reward, l, err := Score(len(it.Methods), e.Agents, e.Compiles, tally.Passed, tally.Run)
	score := task.Score{Reward: reward, Parts: l.parts()}
	for _, f := range []struct {
		name string
		on   bool
	}{{"does_not_compile", !e.Compiles}, {"duplicate", l.Lv3 < 0}, {"timeout", tally.TimeOuts > 0}} {
		if f.on {
			score.Flags = append(score.Flags, f.name)
		}
	}
	return score, err
}

// tally runs the tests of a merged class, or remembers what came of them.
func (t *Task) tally(ctx context.Context, it item, e analysis) (Tally, error) {
	return t.known.Of(known(e, it), func() (Tally, error) { return t.sandboxes.test(ctx, t.budget, it, e, t.variant) })
}

// known is what results of a merged class are remembered by.
func known(e analysis, it item) string { return e.Program + "\x00" + it.Tests }

// solved is the share of the unit tests that pass; nil where none is run.
func (t *Task) solved(score task.Score, e analysis) *float64 {
	if t.generation == October2025 || len(e.Tests) == 0 {
		return nil
	}
	share := 0.0
	if e.Compiles {
		share = score.Parts["lv2"] / mostLv2
	}
	return &share
}

// usable says who wrote a valid method of the class.
func usable(e analysis) []bool {
	out := make([]bool, len(e.Agents))
	for i, a := range e.Agents {
		out[i] = len(a.Valid) > 0
	}
	return out
}

// Close ends the sandboxes, if there are any.
func (t *Task) Close() error {
	if t.sandboxes == nil {
		return nil
	}
	return t.sandboxes.Close()
}
