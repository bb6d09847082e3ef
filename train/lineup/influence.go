package lineup

import (
	"parley/recipe"
	"parley/rl/learn/group/words"
	"parley/rl/rollout"
	"parley/rl/rollout/counterfactual"
	"parley/team"
)

// restarting is the protocol, in which agents may drop what they said where the recipe has a word for that.
func (l Lineup) restarting() team.Protocol {
	if word := recipe.Section[words.Credit](l.Recipe).Influence.Restart; word != "" {
		return team.Restart(l.Protocol, word)
	}
	return l.Protocol
}

// recordInfluence makes a rollout record the prompts that messages would have had without others, where credit asks for what these did.
func (l Lineup) recordInfluence(r *rollout.Runner) {
	i := recipe.Section[words.Credit](l.Recipe).Influence
	if rule := (counterfactual.Rule{Masked: i.Alpha > 0, Restart: i.Restart}); i.Asked() {
		r.Finish = func(purpose string, episodes []*rollout.Episode) { rule.Add(r, purpose, episodes) }
	}
}
