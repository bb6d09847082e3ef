package plan

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"parley/internal/usererror"
	"parley/model"
	"parley/recipe"
	"parley/recipe/keys"
	"parley/task"
	"parley/task/dataset"
)

// CheckFields refuses a recipe, of a file or a shipped name, whose prompts or expressions read a field that no row of its data set has, or none of that which
// it is measured on. A data set that is
// not here, or cannot be read, says nothing: whoever opens it says what is wrong. The error is a [recipe.Errors].
func CheckFields(ctx context.Context, file string, r *recipe.Recipe) error {
	trials, err := r.Trials()
	if err != nil {
		return err
	}
	var list []recipe.Error
	for _, trial := range trials {
		tasks := map[string]keys.Task{"its data set": trial.Recipe.Task}
		if trial.Recipe.Eval.Task.Other() {
			tasks["the data set of eval.task"] = trial.Recipe.Measured()
		}
		for _, set := range slices.Sorted(maps.Keys(tasks)) {
			missing, known, err := missingFields(ctx, trial.Recipe, tasks[set])
			if err != nil {
				return err
			}
			for _, name := range missing {
				e := fault(file, name, set, known)
				if !slices.Contains(list, e) {
					list = append(list, e)
				}
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	return &recipe.Errors{List: list}
}

// fault is the error about a field that no row has.
func fault(file, name, set string, known []string) recipe.Error {
	e := recipe.Error{File: file, Message: fmt.Sprintf("the recipe reads the field %s, which no row of %s has", name, set), Hint: "the fields are " + strings.Join(known, ", ")}
	if len(known) == 0 {
		e.Hint = "rows have nothing but the question and the answer"
	}
	if word := usererror.Nearest(name, known); word != "" {
		e.Hint = fmt.Sprintf("did you mean %s? %s", word, e.Hint)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return e // a shipped recipe
	}
	for i, line := range strings.Split(string(text), "\n") {
		for _, way := range []string{".Fields." + name, `"` + name + `"`, `'` + name + `'`} {
			if at := strings.Index(line, way); at >= 0 && strings.Contains(strings.ToLower(line), "fields") {
				e.Line, e.Column = i+1, at+1
				return e
			}
		}
	}
	return e
}

// errFound ends the reading of rows once all names were seen.
var errFound = errors.New("all fields are there")

// missingFields are the fields that a recipe reads and no row of a task's data set has, and those that rows have.
func missingFields(ctx context.Context, r *recipe.Recipe, t keys.Task) (missing, known []string, err error) {
	kind, ok := r.Language().Task(t.Name)
	if !ok || !kind.AnyField { // others make fields of their rows, such as tldr its reference
		return nil, nil, nil
	}
	names := slices.Concat(ShownFields(r), expressed(r))
	slices.Sort(names)
	names = slices.Compact(names)
	path := DataSet(kind, t)
	if len(names) == 0 || path == "" {
		return nil, nil, nil
	}
	set, err := dataset.Open(path, model.CacheRoot())
	if err != nil {
		return nil, nil, nil //nolint:nilerr // said by whoever opens it
	}
	hider, _ := t.Settings.(task.Hider)
	seen := map[string]bool{}
	err = fieldsUntil(ctx, set, hider, func(key string) bool {
		seen[key] = true
		return !slices.ContainsFunc(names, func(name string) bool { return !seen[name] })
	})
	if ctx.Err() != nil {
		return nil, nil, fmt.Errorf("read %s: %w", path, ctx.Err())
	}
	if err != nil {
		return nil, nil, nil //nolint:nilerr // a row that cannot be read, or all is there
	}
	return slices.DeleteFunc(names, func(name string) bool { return seen[name] }), slices.Sorted(maps.Keys(seen)), nil
}

// fieldsUntil visits the fields of all rows until done says so; without a hider every key is one.
func fieldsUntil(ctx context.Context, set dataset.Set, hider task.Hider, done func(key string) bool) error {
	var visit func(r dataset.Record, within string) error
	visit = func(r dataset.Record, within string) error {
		for _, key := range r.Keys() {
			path := within + key
			if hider != nil && hider.Hides(path) {
				continue
			}
			if hider != nil && hider.Opens(path) {
				if inner, object := r.Object(key); object {
					if err := visit(inner, path+"."); err != nil {
						return err
					}
					continue
				}
			}
			if done(path) {
				return errFound
			}
		}
		return nil
	}
	for _, f := range set.Files {
		if err := f.Each(ctx, func(_ int, data []byte) error {
			r, err := dataset.ParseRecord(data)
			if err != nil {
				return err
			}
			return visit(r, "")
		}); err != nil {
			return err
		}
	}
	return nil
}

// field matches a field that an expression reads.
var field = regexp.MustCompile(`(?:\.fields|\[["']fields["']\])\[\s*["']([^"']+)["']\s*\]`)

// expressed are the fields that expressions and Starlark of the recipe read for certain: what they first ask for with "in" they can do without.
func expressed(r *recipe.Recipe) (names []string) {
	texts := []string{r.Reward.User.Expression}
	if r.Stepwise() {
		texts = append(texts, r.Workflow("").Expressions()...)
	}
	for _, a := range r.Team.Agents.Named {
		if _, text, err := Script("", a.Script); err == nil {
			texts = append(texts, text)
		}
	}
	if text, err := programOf(r); err == nil {
		texts = append(texts, text)
	}
	for _, text := range texts {
		for _, found := range field.FindAllStringSubmatch(text, -1) {
			if asked := regexp.MustCompile(`["']` + regexp.QuoteMeta(found[1]) + `["']\s+(not\s+)?in\b`); !asked.MatchString(text) {
				names = append(names, found[1])
			}
		}
	}
	return names
}

// CheckShown refuses prompts that use a field which problems lack: of some tasks only the data knows the fields.
func CheckShown(r *recipe.Recipe, problems ...task.Problem) error {
	names := ShownFields(r)
	if !r.Harnessed() { // a program writes its own prompts
		names = append(names, Prompts(r).FieldNames()...)
	}
	for _, name := range names {
		for _, p := range problems {
			if _, has := p.Fields[name]; !has {
				return usererror.Errorf("prompts use {{.Fields.%s}}, which problem %s does not have: its fields are %s", name, p.ID, strings.Join(slices.Sorted(maps.Keys(p.Fields)), ", "))
			}
		}
	}
	return nil
}
