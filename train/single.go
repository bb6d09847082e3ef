package train

import (
	"cmp"
	"context"

	"parley/engine"
	"parley/learn"
	"parley/recipe"
	"parley/rollout"
	"parley/train/measure"
)

// singleRecipe is r for one agent and one turn over the base of the team's first trained agent, trained on as many answers an
// update as the team gives.
func singleRecipe(r *recipe.Recipe) (*recipe.Recipe, error) {
	single := *r
	single.Name = r.Name + "-single"
	single.About = "The trained single agent that " + r.Name + " is compared with."
	single.Team.Protocol, single.Team.Agents, single.Team.Turns = "single", 1, 1
	single.Team.RewardFeedback, single.Team.WarmUp = false, 0
	single.Team.Consensus = recipe.Consensus{Share: 1.1, Score: r.Team.Consensus.Score}
	single.Team.Prompts.Roles = nil
	single.Team.Feedback, single.Team.ChatMemory = "none", recipe.ChatMemory{Original: true, Previous: true}
	single.Team.SandboxSlice, single.Team.Expert = r.Language().Defaults().Team.SandboxSlice, r.Language().Defaults().Team.Expert
	single.Model, single.Models, single.Policies.Frozen = r.Bases()[r.Soloist()], nil, nil
	single.Policies.Sharing, single.Policies.FirstTrainedTurn = "shared", 1
	single.Reward.Incentives = recipe.Incentives{By: r.Reward.Incentives.By, Rule: r.Reward.Incentives.Rule}
	single.PPO.Schedule = "all"
	single.Training.Problems = r.Training.Problems * r.Seats() * r.Team.Turns
	single.Eval.Baselines, single.Eval.Agents, single.Eval.NoHistory = nil, 0, false
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
	if r.Team.Protocol != "central" {
		single.Team.Prompts.Examples = nil // they show what a member of the team writes
		if t.Solo != "" {
			single.Team.Prompts.First = t.Solo
			return
		}
	}
	single.Team.Protocol, single.Team.Agents, single.Team.Prompts.Roles = "central", r.Team.Agents, r.Team.Prompts.Roles
}

// alone returns the rollout of one agent that answers a held-out problem once, allowed as many tokens as the whole team.
func (s *session) alone(r *recipe.Recipe, trained bool) (*rollout.Runner, error) {
	single, err := singleRecipe(r)
	if err != nil {
		return nil, err
	}
	one, err := s.solitary(single, s.recipe.Soloist())
	if err != nil {
		return nil, err
	}
	one.sharing.Policies = single.Policies
	runner := one.evaluation(trained)
	runner.Settings.MaxTokens = r.AnswerTokens()
	return runner, nil
}

// soloist returns the rollout of one policy that answers a held-out problem once, without history.
func (s *session) soloist(p learn.Trainee) (*rollout.Runner, error) {
	single, err := singleRecipe(s.recipe)
	if err != nil {
		return nil, err
	}
	one, err := s.solitary(single, p.Agent)
	if err != nil {
		return nil, err
	}
	runner := one.evaluation(false)
	runner.Actors[0].Policy = func(int) engine.Policy { return p.Policy }
	return runner, nil
}

// solitary returns the session with one agent in the place of the team, on the base of the given one.
func (s *session) solitary(single *recipe.Recipe, agent int) (*session, error) {
	asked := *single
	asked.Task = s.recipe.Task // of what is measured
	protocol, err := newProtocol(&asked)
	if err != nil {
		return nil, err
	}
	one, scored := *s, s.recipe
	if single.Team.Protocol == "central" {
		scored = single // whose answers are taken apart
	}
	one.protocol, one.scorer = protocol, s.scorer.ForAgents(scored, []int{agent}).WithoutVerifiers() // a single answer is never shown to anybody
	one.sharing.Bases = s.sharing.Bases[agent : agent+1]
	return &one, nil
}

// singles measures one agent alone under two names: its single answer, and a vote over as many answers as the trained team's
// budget of generated tokens pays for. An empty or unwanted name is left out of the report.
func (j *job) singles(ctx context.Context, s *session, alone *rollout.Runner, names []string, updates int) error {
	var answer *measure.Measurement
	for i, name := range names {
		k := 1
		if i == 1 && j.recipe.Votes() {
			k = measure.Affordable(j.after.TokensPerProblem(), answer.TokensPerProblem())
		}
		if i == 1 && !j.wants(name) {
			continue
		}
		system := name
		if system == "" {
			system = "trained-single-answer"
		}
		m, err := j.measure(ctx, system, updates, func(ctx context.Context) (*measure.Measurement, error) {
			return s.measurer().Votes(ctx, system, alone, k)
		})
		if err != nil {
			return err
		}
		if i == 0 {
			answer = m
		}
		if i == 0 || name == "trained-single" {
			j.solo = m
		}
		if j.wants(name) {
			j.baselines = append(j.baselines, m)
		}
	}
	return nil
}
