package initcmd

import (
	"errors"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/recipe"
	"parley/task"
	"parley/train/plan"
)

// settled is what is known of a recipe that was checked.
type settled struct {
	train, heldOut int
	warnings       []string
}

// settle takes the first way of comparing answers in which every row can be read, and checks the whole recipe with it. Where none does,
// the error is that of the plainest match, which comes last, in its first form.
func settle(a *cli.App, d *draft) (s settled, err error) {
	var plainest error
	ways := d.ways
	for i, w := range ways {
		d.ways = []way{w}
		s, err = check(a, d)
		if err == nil {
			return s, nil
		}
		if i == 0 || ways[i-1].match != w.match {
			plainest = err
		}
	}
	return s, plainest
}

// check reads the recipe as `parley train` would, but with paths from the current folder, and opens its task.
func check(a *cli.App, d *draft) (s settled, err error) {
	d.train, d.held = mostProblems, mostHeld // until the task says how many there are
	r, err := read(a, d)
	if err != nil {
		return s, err
	}
	opened, err := plan.OpenTask(a.Ctx, r, r.Task, true)
	if a.Ctx.Err() != nil {
		return s, err
	}
	if err != nil {
		return s, cli.Usagef("%v", err)
	}
	if closer, ok := opened.(interface{ Close() error }); ok {
		defer func() { err = errors.Join(err, closer.Close()) }()
	}
	if d.data == "" { // problems are made, as many as the recipe asks for
		s.train, s.heldOut = r.Task.Train, mostHeld
	} else if s.train, err = problems(opened, task.Train); err != nil {
		return s, err
	} else if s.heldOut, err = problems(opened, task.Test); err != nil {
		return s, err
	}
	d.train, d.held = s.train, s.heldOut
	if list, err := opened.Problems(task.Test, 1); err != nil || len(list) == 0 {
		return s, cli.Usagef("the data has no held-out problem")
	} else if err := d.meet(a.Ctx, list[0]); err != nil {
		return s, err
	} else if err := d.reading(a, list[0]); err != nil {
		return s, err
	}
	if r, err = read(a, d); err != nil {
		return s, err
	}
	s.warnings = r.Warnings()
	return s, nil
}

// read has the language read what will be written.
func read(a *cli.App, d *draft) (*recipe.Recipe, error) {
	sets := []string{"model=" + d.base}
	if d.data != "" {
		sets = append(sets, "task.path="+d.data)
	}
	if d.reward != label && d.reward != byProgram && !isURL(d.reward) {
		sets = append(sets, "reward.user.python="+d.reward)
	}
	if d.harness != "" {
		sets = append(sets, "team.harness.python="+d.harness)
		if isPath(d.python) {
			sets = append(sets, "team.harness.interpreter="+d.python)
		}
	}
	r, err := a.Language.Parse(d.file, []byte(d.text()), sets)
	var list *recipe.Errors
	if !errors.As(err, &list) {
		return r, err
	}
	complaints := make([]string, len(list.List))
	for i, e := range list.List {
		complaints[i] = e.Message
		if e.Hint != "" {
			complaints[i] += "; " + e.Hint
		}
	}
	return nil, cli.Usagef("what flags say makes no recipe: %s", strings.Join(complaints, "\n"))
}

func problems(from task.Task, split task.Split) (int, error) {
	if counted, ok := from.(interface{ Count(task.Split) int }); ok {
		return counted.Count(split), nil
	}
	list, err := from.Problems(split, everything)
	return len(list), err
}

// everything is more problems than a set has.
const everything = 1 << 30
