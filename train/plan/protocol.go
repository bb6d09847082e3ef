package plan

import (
	"cmp"
	"fmt"
	"parley/model"
	"parley/recipe"
	"parley/reward"
	"parley/team"
	"slices"
)

// Protocol returns the protocol of the recipe's team.
func Protocol(r *recipe.Recipe) (team.Protocol, error) {
	s := team.Settings{Agents: r.Team.Agents, Turns: r.Team.Turns, SeeOthers: r.Team.History == "all", ShowScores: r.Team.RewardFeedback,
		Prompts: Prompts(r), Roles: r.Team.Prompts.Roles, Feedback: reward.Feedback,
		Memory: team.Memory{NoOriginal: !r.Team.ChatMemory.Original, NoPrevious: !r.Team.ChatMemory.Previous, Turns: r.Team.ChatMemory.Last}}
	kind, known := r.Language().Protocol(r.Team.Protocol)
	if !known {
		return nil, fmt.Errorf("protocol %q is not known: docs/recipes.md lists the protocols under team.protocol", r.Team.Protocol)
	}
	return kind.Open(s)
}

// Prompts are the recipe's. What it leaves out is the task's own or has the paper's form for a question, or, in a team over the shipped base
// alone, the short one that it was made with.
func Prompts(r *recipe.Recipe) team.Prompts {
	p := team.Prompts{System: r.Team.Prompts.System, Examples: r.Team.Prompts.Examples, First: r.Team.Prompts.First, Later: r.Team.Prompts.Later}
	form := team.Maths
	if own := r.TaskType().Prompts; own.First != "" {
		form.First, form.Later = own.First, cmp.Or(own.Later, form.Later)
	} else if !slices.ContainsFunc(r.Bases(), func(base string) bool { return base != model.Shipped }) {
		form = team.Short
	}
	if p.First == "" {
		p.First = form.First
	}
	if mode := team.Mode(r.Team.Feedback); p.Later == "" && mode != team.Plain {
		p.Later = mode.Later(p.First)
	} else if p.Later == "" {
		p.Later = form.Later
	}
	return p
}
