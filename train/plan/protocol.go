package plan

import (
	"fmt"

	"parley/recipe"
	"parley/reward"
	"parley/team"
)

// Protocol returns the protocol of the recipe's team.
func Protocol(r *recipe.Recipe) (team.Protocol, error) {
	s := team.Settings{
		Agents: r.Team.Agents, Turns: r.Team.Turns, SeeOthers: r.Team.History == "all", ShowScores: r.Team.RewardFeedback,
		Prompts: Prompts(r), Roles: r.Team.Prompts.Roles, Feedback: reward.Feedback,
		Memory: team.Memory{NoOriginal: !r.Team.ChatMemory.Original, NoPrevious: !r.Team.ChatMemory.Previous, Turns: r.Team.ChatMemory.Last},
	}
	kind, known := r.Language().Protocol(r.Team.Protocol)
	if !known {
		return nil, fmt.Errorf("protocol %q is not known: docs/recipes.md lists the protocols under team.protocol", r.Team.Protocol)
	}
	return kind.Open(s)
}
