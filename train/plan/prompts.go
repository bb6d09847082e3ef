package plan

import (
	"cmp"
	"slices"

	"parley/model"
	"parley/recipe"
	"parley/recipe/teams"
	"parley/team"
)

// Prompts are the recipe's; what it leaves out are the default ones, or what its feedback says.
func Prompts(r *recipe.Recipe) team.Prompts {
	p := team.Prompts{System: r.Team.Prompts.System, Examples: r.Team.Prompts.Examples, First: r.Team.Prompts.First, Later: r.Team.Prompts.Later}
	other := slices.ContainsFunc(r.Bases(), func(base string) bool { return base != model.Shipped })
	form := teams.DefaultPrompts(r.TaskType().Traits, !other)
	p.First = cmp.Or(p.First, form.First)
	if mode := team.Mode(r.Team.Feedback); mode != team.Plain {
		form.Later = mode.Later(p.First)
	}
	p.Later = cmp.Or(p.Later, form.Later)
	return p
}

// WithPrompts returns r with the prompts written out that [Prompts] takes from elsewhere. A prompt stays as it is if no agent gets it. It also
// stays if writing it out would change another prompt: that of a run of the experiment, of the team on another task that it is measured on, or
// of a single agent.
func WithPrompts(r *recipe.Recipe) *recipe.Recipe {
	if r.Stepwise() || r.Harnessed() {
		return r // its steps have the prompts, or its program has
	}
	p := Prompts(r)
	first := *r
	first.Team.Prompts.First = p.First
	both := first
	both.Team.Prompts.Later = p.Later
	was, err := systems(r)
	if err != nil {
		return r // it cannot be run anyway
	}
	candidates := []*recipe.Recipe{&first}
	if slices.ContainsFunc(was, func(system recipe.Recipe) bool { return system.Team.Turns > 1 }) {
		candidates = []*recipe.Recipe{&both, &first}
	}
	for _, written := range candidates {
		if now, err := systems(written); err == nil && slices.EqualFunc(was, now, sameQuestions) {
			return written
		}
	}
	return r
}

// systems are the recipes of all teams and single agents that r trains and measures.
func systems(r *recipe.Recipe) (all []recipe.Recipe, err error) {
	once := *r
	once.Experiment.Seeds = nil
	trials, err := once.Trials()
	for _, t := range trials {
		asked := []recipe.Recipe{*t.Recipe}
		if single, err := Single(t.Recipe); err == nil { // else no single agent can take the team's place
			asked = append(asked, *single)
		}
		for _, system := range asked {
			measured := system
			measured.Task = t.Recipe.Measured()
			all = append(all, system, measured)
		}
	}
	return all, err
}

// sameQuestions says that the agents of two systems are asked the same.
func sameQuestions(a, b recipe.Recipe) bool {
	p, q := Prompts(&a), Prompts(&b)
	return p.First == q.First && (a.Team.Turns == 1 || p.Later == q.Later)
}
