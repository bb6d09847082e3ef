package plan

import (
	"fmt"
	"os"
	"strings"

	"parley/recipe"
	"parley/reward"
	"parley/team"
	"parley/team/workflow"
)

// Protocol returns the protocol of the recipe's team.
func Protocol(r *recipe.Recipe) (team.Protocol, error) {
	s := team.Settings{
		Agents: r.Team.Agents.N, Turns: r.Team.Turns, SeeOthers: r.Team.History == "all", ShowScores: r.Team.RewardFeedback,
		Prompts: Prompts(r), Roles: Roles(r), Feedback: reward.Feedback,
		Memory: team.Memory{NoOriginal: !r.Team.ChatMemory.Original, NoPrevious: !r.Team.ChatMemory.Previous, Turns: r.Team.ChatMemory.Last},
	}
	if r.Stepwise() {
		return stepwise(r)
	}
	kind, known := r.Language().Protocol(r.Team.Protocol)
	if !known {
		return nil, fmt.Errorf("protocol %q is not known: docs/recipes.md lists the protocols under team.protocol", r.Team.Protocol)
	}
	return kind.Open(s)
}

// Roles are the texts of the agents for templates; none: they have none.
func Roles(r *recipe.Recipe) []string {
	named := r.Team.Agents.Named
	if len(named) == 0 {
		return r.Team.Prompts.Roles
	}
	out := make([]string, len(named))
	for i, a := range named {
		out[i] = a.Role
	}
	return out
}

// stepwise is the workflow of a recipe.
func stepwise(r *recipe.Recipe) (team.Protocol, error) {
	program := ""
	switch {
	case strings.Contains(r.Team.Program, "\n"):
		program = r.Team.Program
	case r.Team.Program != "":
		text, err := os.ReadFile(r.Team.Program)
		if err != nil {
			return nil, fmt.Errorf("team.program: %w", err)
		}
		program = string(text)
	}
	return workflow.New(r.Workflow(program))
}
