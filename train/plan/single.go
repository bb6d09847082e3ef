package plan

import (
	"cmp"

	"parley/recipe"
	"parley/recipe/keys"
	"parley/rl/learn"
	"parley/rl/learn/group/words"
	"parley/rl/learn/ppo"
	"parley/systems/collab"
)

// Single is r for one agent and one turn over the base of the team's first trained agent, trained on as many answers an
// update as the team gives.
func Single(r *recipe.Recipe) (*recipe.Recipe, error) {
	single := *r
	single.Name = r.Name + "-single"
	single.About = "The trained single agent that " + r.Name + " is compared with."
	single.Team.Protocol, single.Team.Agents, single.Team.Turns = "single", keys.Agents{N: 1}, 1
	single.Team.RewardFeedback, single.Team.WarmUp = false, 0
	single.Team.Consensus = keys.Consensus{Share: 1.1, Score: r.Team.Consensus.Score}
	single.Team.Prompts.Roles = nil
	single.Team.Workflow, single.Team.Program, single.Team.Answer = nil, "", keys.TeamAnswer{}
	single.Team.Proposals, single.Team.Lessons = r.Language().Defaults().Team.Proposals, r.Language().Defaults().Team.Lessons
	single.Team.Fields = nil // hidden from some of several agents
	single.Team.Feedback, single.Team.ChatMemory = "none", keys.ChatMemory{Original: true, Previous: true}
	single.Team.Tools = r.Language().Defaults().Team.Tools
	single.Team.SandboxSlice, single.Team.Expert = r.Language().Defaults().Team.SandboxSlice, r.Language().Defaults().Team.Expert
	if single.Reward.Source != "trained" {
		single.Team.NormalizeVisible = r.Language().Defaults().Team.NormalizeVisible // nobody reads its answer
	}
	if single.Reward.Source != "server" && !single.Prefers() {
		single.Servers = r.Language().Defaults().Servers // they spoke for other agents
	}
	single.Model, single.Models, single.Policies.Frozen = r.Bases()[r.Soloist()], nil, nil
	if Embedded(r, r.Soloist()) {
		single.Engine.Tinker = r.Language().Defaults().Engine.Tinker
	}
	single.Policies.Sharing, single.Policies.FirstTrainedTurn = "shared", 1
	single.Reward.Incentives = keys.Incentives{By: r.Reward.Incentives.By, Rule: r.Reward.Incentives.Rule}
	recipe.ChangeSection(&single, func(s *ppo.Settings) { s.Schedule = "all" })
	recipe.ChangeSection(&single, func(g *learn.Group) { g.Terminate, g.TurnWeights, g.Without = nil, nil, "" }) // they are about several turns or agents
	recipe.ChangeSection(&single, func(c *words.Credit) { *c = c.Alone(recipe.Section[words.Credit](r.Language().Defaults())) })
	recipe.ChangeSection(&single, func(o *learn.Opponents) { o.Share = 0 })
	recipe.ChangeSection(&single, func(c *collab.Settings) { c.Adapters = nil })
	single.Training.Problems = r.Training.Problems * r.Seats() * r.Team.Turns
	if r.Harnessed() { // whose turns are the calls that it may make
		single.Team.Harness, single.Training.Problems = r.Language().Defaults().Team.Harness, r.Training.Problems*r.Seats()
	}
	single.Eval.Baselines, single.Eval.Agents, single.Eval.NoHistory = nil, 0, false
	single.Eval.Every, single.Eval.Panel = 0, r.Language().Defaults().Eval.Panel
	single.Eval.PassAt, single.Eval.AccuracyAt, single.Eval.PassHat, single.Eval.Passes, single.Eval.Ablations = nil, nil, nil, 1, nil
	soloForm(&single, r)
	// Printing and parsing validates it like any recipe.
	return r.Language().Parse(single.Name, single.YAML(), nil)
}

// soloForm asks one model for what its task needs: both texts where two are rewarded together, else the whole as the task asks a single
// agent for it.
func soloForm(single, r *recipe.Recipe) {
	if !r.Reward.OfTask() {
		return
	}
	t := r.TaskType()
	if !t.Pair() {
		single.Team.Prompts.First = cmp.Or(t.Solo, single.Team.Prompts.First)
		return
	}
	single.Sampling.MaxTokens = r.AnswerTokens()
	if !r.OneModel() {
		single.Team.Prompts.Examples = nil // they show what a member of the team writes
		if t.Solo != "" {
			single.Team.Prompts.First = t.Solo
			return
		}
	}
	single.Team.Protocol, single.Team.Agents, single.Team.Prompts.Roles = "central", keys.Agents{N: r.Team.Agents.N}, r.Team.Prompts.Roles
}
