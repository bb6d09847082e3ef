package plan

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/usererror"
	"parley/recipe"
	"parley/rl/learn"
	"parley/rl/learn/preference"
	"parley/systems/fuse"
	"parley/team/workflow"
)

// CheckGrowth looks at the prompts of a recipe's workflow in its longest episode. It is an error if a prompt does not fit even when all answers are as
// short as they may be. The note names the first prompt that does not fit when answers are as long as they may be; empty: all fit. First is how many
// tokens the longest first prompt has, and context gives the most tokens of an agent's base, by number from 0; 0: the agent has none.
func CheckGrowth(r *recipe.Recipe, first int, context func(agent int) int) (note string, err error) {
	if !r.Stepwise() || r.Truncate == "left" {
		return "", nil
	}
	spec, known, err := Workflow(r)
	if err != nil || !known {
		return "", err
	}
	w, err := workflow.New(spec)
	if err != nil {
		return "", fmt.Errorf("look for prompts that grow: %w", err)
	}
	sights, err := w.Visibility()
	if err != nil {
		return "", fmt.Errorf("look for prompts that grow: %w", err)
	}
	sure := spec.Program == "" && certain(spec.Steps)
	names := r.Team.Agents.Names()
	for _, s := range sights {
		room := context(slices.Index(names, s.Agent))
		answers, least, most := shown(r, names, s)
		switch {
		case room == 0 || answers == 0:
		case sure && least >= room:
			return "", usererror.Errorf("%s: in turn %d the prompt of %s shows %d answers of %d tokens together or more, and the context of its base has %d: "+
				"show fewer, lower repeat, or let `truncate: left` drop the oldest tokens", s.Place, s.Turn, s.Agent, answers, least, room)
		case note == "" && first+most > room:
			note = fmt.Sprintf("%s: in turn %d the prompt of %s may have %d tokens, and the context of its base has %d; where it does not fit the episode fails: "+
				"show fewer answers, lower repeat or max_tokens, or let `truncate: left` drop the oldest tokens", s.Place, s.Turn, s.Agent, first+most, room)
		}
	}
	return note, nil
}

// shown counts the answers of models that a prompt shows, and the tokens that they have at least and at most.
func shown(r *recipe.Recipe, names []string, s workflow.Sight) (answers, least, most int) {
	for _, source := range s.Sees {
		agent := slices.Index(names, source.Agent)
		if source.What != workflow.Said || Agent(r, agent).Speaker() != "" {
			continue
		}
		own := Agent(r, agent).Sampling
		answers++
		least += *cmp.Or(own.MinTokens, &r.Sampling.MinTokens)
		most += *cmp.Or(own.MaxTokens, &r.Sampling.MaxTokens)
	}
	return answers, least, most
}

// certain says that the same agents speak in every round of an episode, however many rounds there are.
func certain(steps []workflow.Step) bool {
	return !slices.ContainsFunc(steps, func(s workflow.Step) bool {
		chosen := slices.ContainsFunc(s.Ask, func(name string) bool { return strings.HasPrefix(name, "=") })
		return s.When != "" || chosen || !certain(s.Steps)
	})
}

// Iteration is the part of the run that an update belongs to, both counted from 0 (MAGRPO §5).
func Iteration(r *recipe.Recipe, update int) int {
	return recipe.Section[preference.Settings](r).Iteration(update, r.Training.Updates)
}

// Rival is the base of preference.comparator model; empty: there is none.
func Rival(r *recipe.Recipe) string {
	p := recipe.Section[preference.Settings](r)
	if !r.Prefers() || p.Comparator != "model" {
		return ""
	}
	return p.Model
}

// Trains refuses a recipe of which nothing is trained and nothing is kept; nil is that of a run that goes on. Agents who write together are measured
// into a run folder, for who wrote what. called is how commands name the recipe; empty: by its name.
func Trains(r *recipe.Recipe, called string) error {
	if r == nil || r.AlgorithmType().Episodes != learn.FromNowhere {
		return nil
	}
	called = cmp.Or(called, r.Name)
	return usererror.Errorf("recipe %s has algorithm %s: there is nothing to train; measure its team with `%s`, or talk to it with `%s`",
		r.Name, r.Algorithm, usererror.Quote("parley", "eval", called), usererror.Quote("parley", "chat", called))
}

// Taught refuses a student of a team that is not there, before there is a run folder; nil is the recipe of a run that goes on.
func Taught(r *recipe.Recipe) error {
	if r == nil || r.Algorithm != fuse.Distillation {
		return nil
	}
	dir := recipe.Section[fuse.Distil](r).Run
	if dir == "" {
		return usererror.Errorf("distil.run is empty: train a team first, such as `parley train magrpo-tiny --out TEAM`, and name its folder with --set distil.run=TEAM")
	}
	if _, err := os.Stat(filepath.Join(dir, "run.json")); err != nil {
		return usererror.Errorf("distil.run: %s is no run: name the folder of one that has trained a team", dir)
	}
	return nil
}
