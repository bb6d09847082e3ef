// Package travel is the task of a trip that two agents plan together (TravelPlanner, sole planning): both read a query and the tables of its places, one
// writes the route, the other meals and sights, and the plan is checked as the benchmark does it.
//
//	task.go    where problems come from, and how plans are scored
//	trip.go    rows: what is asked for
//	table.go   the tables of a row, and the literals of Python that the data set has in its cells
//	plan.go    what agents write, and what it names
//	common.go  checks of common sense
//	hard.go    checks of what is asked for
//	type.go    what a recipe says, the prompts, and trips of parley's own for small bases
package travel

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"parley/task"
	"parley/task/dataset"
)

// A Task is the task over loaded problems. It implements [task.Task] and [task.JointScorer].
type Task struct{ *dataset.Loaded }

// open loads the problems that the settings choose, for a team.
func (s Settings) open(ctx context.Context, in task.Environment) (*Task, error) {
	loaded, err := &dataset.Loaded{}, error(nil)
	switch {
	case in.NoProblems:
	case s.Path == "":
		loaded, err = made()
	default:
		loaded, err = s.load(ctx, in.Cache)
	}
	if err != nil {
		return nil, fmt.Errorf("task %s: %w", name, err)
	}
	return &Task{loaded}, nil
}

// load reads a data set. The queries of TravelPlanner's test split have no budgets: its validation split is held out.
func (s Settings) load(ctx context.Context, cache string) (*dataset.Loaded, error) {
	set, err := dataset.Open(s.Path, cache)
	if err != nil {
		return nil, err
	}
	if len(set.Of(dataset.Validation)) > 0 {
		set.Files = slices.DeleteFunc(set.Files, func(f dataset.File) bool { return f.Split == dataset.Test })
	}
	loaded, err := set.Load(ctx, readRow, nil)
	if err != nil {
		return nil, err
	}
	chosen, err := dataset.Apart(s.chosen(loaded.Splits[task.Train]), s.chosen(loaded.Splits[task.Test]), loaded.Notes...)
	if err != nil {
		return nil, fmt.Errorf("task.days and task.levels: %w", err)
	}
	chosen.Overlap = loaded.Overlap
	return chosen, nil
}

// chosen are the problems of the lengths and levels that are asked for.
func (s Settings) chosen(all []task.Problem) []task.Problem {
	return slices.DeleteFunc(all, func(p task.Problem) bool {
		return len(s.Days) > 0 && !slices.Contains(s.Days, p.Fields[fieldDays]) || len(s.Levels) > 0 && !slices.Contains(s.Levels, p.Fields[fieldLevel])
	})
}

// Name implements [task.Task].
func (*Task) Name() string { return name }

// Problems implements [task.Task]: problems are in the order of their files.
func (t *Task) Problems(split task.Split, n int) ([]task.Problem, error) { return t.Of(name, split, n) }

// Range implements [task.JointScorer].
func (*Task) Range() (least, greatest float64) { return 0, 1 }

// Score implements [task.JointScorer]: half is paid for the share of the checks that a plan passes, and half if it passes all.
func (*Task) Score(_ context.Context, p task.Problem, responses []string) (task.Score, error) {
	var t trip
	if err := json.Unmarshal([]byte(p.Fields[fieldTrip]), &t); err != nil {
		return task.Score{}, fmt.Errorf("task %s: problem %s: %w", name, p.ID, err)
	}
	if len(responses) != 1 && len(responses) != 2 {
		return task.Score{}, fmt.Errorf("task %s: %d responses, want 2: the route, then meals and sights; or 1 with both", name, len(responses))
	}
	plan, usable := join(t.Days, responses)
	v := t.judge(plan)
	checks, pass := float64(v.passed)/float64(v.asked), float64(v.rates[finalPass].Passed)
	return task.Score{
		Reward: (checks + pass) / 2, Parts: map[string]float64{"checks": checks, "pass": pass, "cost": v.cost}, Rates: v.rates,
		Signals: &task.Signals{Usable: usable, Solved: &pass},
	}, nil
}

// finalPass is the rate of plans that pass all checks: the number to report.
const finalPass = "final_pass"

// A verdict is what checks say of a plan.
type verdict struct {
	rates         task.Rates // of each check, and of all as the paper of the benchmark sums them up
	passed, asked int        // checks
	cost          float64    // of the plan; 0 where hard checks do not count
}

// judge makes the checks. Without a plan none is passed. Hard ones can be passed only by plans that are complete and know what they name.
func (t *trip) judge(p plan) verdict {
	v, common, hard := verdict{rates: task.Rates{}}, t.commonsense(p), map[string]bool{}
	v.rates["delivery"] = one(len(p) > 0)
	for check := range common {
		common[check] = common[check] && len(p) > 0
	}
	if common[sandbox] && common[complete] {
		hard, v.cost = t.hard(p), t.cost(p)
	}
	published := v.count(common, official)
	delete(common, official)
	soft, wanted := v.count(common, slices.Collect(maps.Keys(common))...), v.count(hard, t.asked()...)
	v.passed, v.asked = soft.Passed+wanted.Passed, soft.Of+wanted.Of
	v.rates["commonsense_micro"], v.rates["commonsense_macro"] = soft, one(soft.All())
	v.rates["hard_micro"], v.rates["hard_macro"] = wanted, one(wanted.All())
	v.rates[finalPass] = one(soft.All() && wanted.All())
	soft.Passed += published.Passed - v.rates[withinCity].Passed
	v.rates["official_pass"] = one(soft.All() && wanted.All())
	return v
}

// count adds the rates of checks, and returns the sum.
func (v *verdict) count(held map[string]bool, checks ...string) (sum task.Rate) {
	for _, check := range checks {
		v.rates[check] = one(held[check])
		sum = sum.Plus(v.rates[check])
	}
	return sum
}

// one is the rate of a single check.
func one(passed bool) task.Rate {
	if passed {
		return task.Rate{Passed: 1, Of: 1}
	}
	return task.Rate{Of: 1}
}
