package provenance

// This file keeps a run that was made elsewhere from doing things with the user's rights unasked.
//
// A recipe can start programs, send problems, answers and secrets to servers, and write files ([Reach]). A recipe that the user names is
// trusted as a program is that the user starts. The recipe that lies in a run's folder is trusted where parley wrote it for this user: a
// run whose recipe does such things bears a mark, which only the user's own key makes ([Mark]). Any other run is refused before anything
// of it is opened, with the list of what it would do ([Check]).
//
//	reach.go  what recipes do
//	mark.go   marks, and the key that makes them
//	check.go  runs without the right mark

import (
	"fmt"
	"slices"

	"parley/internal/usererror"
	"parley/recipe"
	"parley/recipe/keys"
)

// An Act is something that a recipe does beyond its run's folder and the sandbox.
type Act struct {
	Key  string // of the recipe that asks for it
	What string // such as: runs python3 ask.py
}

// Reach lists what the runs of a recipe do, those of an experiment's variants too.
func Reach(r *recipe.Recipe) ([]Act, error) {
	trials, err := r.Trials()
	if err != nil {
		return nil, fmt.Errorf("what the recipe does: %w", err)
	}
	list := acts(r)
	for _, t := range trials {
		for _, a := range acts(t.Recipe) {
			if !slices.Contains(list, a) {
				list = append(list, a)
			}
		}
	}
	return list, nil
}

func acts(r *recipe.Recipe) (list []Act) {
	reach := r.Reach()
	for i := 0; i < len(reach); {
		first, words := reach[i], []string(nil)
		for ; i < len(reach) && reach[i].Key == first.Key; i++ {
			words = append(words, reach[i].Path)
		}
		if what := act(first, words); what != "" {
			list = append(list, Act{first.Key, what})
		}
	}
	return list
}

// act says what a key with these values does; empty: nothing outside.
func act(at keys.Named, words []string) string {
	quoted := usererror.Quote(words...)
	switch at.Kind {
	case keys.Imports:
		return "runs the Python file " + quoted
	case keys.Asks:
		return "sends problems, answers or measurements to " + quoted
	case keys.Tells:
		return "sends there the secret in the environment variable " + quoted
	case keys.Writes:
		if at.Path == "true" { // a folder of the run's own
			return ""
		}
		return "writes into " + quoted
	}
	return "runs " + quoted
}
