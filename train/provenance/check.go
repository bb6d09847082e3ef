package provenance

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/usererror"
	"parley/recipe"
	"parley/runs"
)

// deepest is how many folders deep the runs in a run lie: an experiment's runs, and in each of them that of a single agent.
const deepest = 2

// CheckTrust refuses the run in dir, whose recipe is in a language, where it or a run in it was not made here and does something outside. It
// opens nothing that a recipe names.
func CheckTrust(language *recipe.Language, dir string) error {
	return check(language, dir, func(Act) bool { return true })
}

// CheckToTalk is [Check] for who only talks to the team: what scores, measures, records or is acted in does nothing then.
func CheckToTalk(language *recipe.Language, dir string) error {
	return check(language, dir, func(a Act) bool {
		return !slices.ContainsFunc([]string{"reward.", "training.", "task.", "eval.", "team.expert.", "preference."}, func(section string) bool { return strings.HasPrefix(a.Key, section) })
	})
}

// check is [Check] for acts that count.
func check(language *recipe.Language, dir string, counts func(Act) bool) error {
	list, err := strange(language, dir, deepest)
	list = slices.DeleteFunc(list, func(a Act) bool { return !counts(a) })
	if err != nil || len(list) == 0 {
		return err
	}
	return refuse(dir, list)
}

// CheckRecord refuses a recipe that was recorded in dir beside no run, where it was not recorded here and does something outside.
func CheckRecord(r *recipe.Recipe, dir string, meta runs.Meta) error {
	if marked(meta) {
		return nil
	}
	list, err := Reach(r)
	if err != nil || len(list) == 0 {
		return err
	}
	return refuse(dir, list)
}

// refuse is the error for what would be done.
func refuse(dir string, list []Act) error {
	lines := make([]string, len(list))
	for i, a := range list {
		lines[i] = fmt.Sprintf("  %s: %s", a.Key, a.What)
	}
	says := fmt.Sprintf("%s was not made by you with this parley's key%s. With your rights it\n%s\n", dir, why(), strings.Join(lines, "\n"))
	return &usererror.Error{Err: &RefusedError{says}}
}

// A RefusedError says that a run was not made here, and what it would do.
type RefusedError struct{ Says string } // without what to do about it

func (e *RefusedError) Error() string {
	return e.Says + usererror.Spoken("If you trust who made it, add --trust; else start a run of your own, from a recipe that you have read")
}

// why says why there is no key; empty: there is one.
func why() string {
	name, err := keyFile()
	if err == nil {
		_, err = readKey(name)
	}
	switch {
	case err == nil:
		return ""
	case errors.Is(err, os.ErrNotExist):
		return " (there is none: " + name + ")"
	}
	return fmt.Sprintf(" (%v)", err)
}

// strange lists what a run without the right mark does, and the runs in it. For a folder that is no run, or whose recipe cannot be
// read, the list is empty: such a run cannot be resumed.
func strange(language *recipe.Language, dir string, depth int) ([]Act, error) {
	meta, err := runs.Read(dir)
	if err != nil {
		return nil, nil
	}
	var list []Act
	if r, err := language.Parse(filepath.Join(dir, "run.json"), []byte(meta.Recipe), nil); err == nil && !marked(meta) {
		if list, err = Reach(r); err != nil {
			return nil, err
		}
	}
	if depth == 0 {
		return list, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("look for runs in %s: %w", dir, err)
	}
	for _, e := range entries {
		inside, err := strange(language, filepath.Join(dir, e.Name()), depth-1)
		if err != nil {
			return nil, err
		}
		for _, a := range inside {
			if !slices.Contains(list, a) {
				list = append(list, a)
			}
		}
	}
	return list, nil
}
