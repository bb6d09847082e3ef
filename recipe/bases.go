package recipe

import (
	"slices"

	"parley/recipe/keys"
	"parley/recipe/teams"
	"parley/team"
)

// Bases names the frozen base of every agent, in agent order.
func (r *Recipe) Bases() []string {
	if len(r.Models) == r.Seats() { // another number is refused
		return r.Models
	}
	if r.OneModel() {
		return slices.Repeat([]string{r.Model}, r.Seats())
	}
	return r.Team.Agents.Bases(r.Model, r.Soloist())
}

// protocol is the kind of the team's protocol; its zero value where the language does not know it.
func (r *Recipe) protocol() team.Kind {
	if r.language != nil {
		if k, known := r.language.Protocol(r.Team.Protocol); known {
			return *k
		}
	}
	return team.Kind{}
}

// OneModel says that one model does the work of all agents.
func (r *Recipe) OneModel() bool {
	return r.protocol().OneModel || r.Stepwise() && r.Team.Answer.Word == keys.AnswerTagged
}

// Seats is how many models speak: one for every agent, or one for all.
func (r *Recipe) Seats() int {
	if r.OneModel() {
		return 1
	}
	return r.Team.Agents.N
}

// AgentName is what an agent, from 0, is called.
func (r *Recipe) AgentName(agent int) string {
	if names := r.Team.Agents.Names(); agent < len(names) {
		return names[agent]
	}
	return ""
}

// AnswerTokens is the most tokens that the measured team may write for a problem.
func (r *Recipe) AnswerTokens() int {
	if r.OneModel() {
		return r.Sampling.MaxTokens
	}
	return r.Answers(r.MeasuredAgents()) * r.Sampling.MaxTokens
}

// Answers is how many answers an episode of so many agents has at most. All calls of a program are counted together.
func (r *Recipe) Answers(agents int) int {
	if r.Harnessed() {
		return r.Team.Turns
	}
	return agents * r.Team.Turns
}

// MeasuredAgents is how many agents a measured team has.
func (r *Recipe) MeasuredAgents() int {
	if r.Eval.Agents > 0 {
		return r.Eval.Agents
	}
	return r.Team.Agents.N
}

// otherSize says that the measured team has more or fewer agents than the trained one.
func (r *Recipe) otherSize() bool { return r.MeasuredAgents() != r.Team.Agents.N }

// Soloist is the agent, counted from 0, whose base the baselines of a single agent have: the first that is trained.
func (r *Recipe) Soloist() int {
	for agent := range r.Seats() {
		if !r.Policies.IsFrozen(agent) {
			return agent
		}
	}
	return 0
}

// answersPerPolicy is how many answers of one update the policy with the fewest has. Agents of different bases share none.
func (r *Recipe) answersPerPolicy() int {
	agents, turns := teams.FewestSharing(teams.Places(r.Bases(), r.Team.Agents, r.Soloist(), r.Engine.Elsewhere()), r.Policies.IsFrozen), r.Team.Turns-r.Policies.FirstTrainedTurn+1
	switch r.Policies.Sharing {
	case "shared":
		return r.Training.Problems * agents * turns
	case "per-agent":
		return r.Training.Problems * turns
	case "per-agent-turn":
		return r.Training.Problems
	}
	return r.Training.Problems * agents
}
