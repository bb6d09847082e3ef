package train

import (
	"context"

	"parley/recipe"
	"parley/rollout"
	"parley/runs"
	"parley/team"
	"parley/train/measure"
)

// untrainedTeams measures untrained agents that work together in other ways, at the team's budget of tokens (magrpo.md §10).
func (j *job) untrainedTeams(ctx context.Context, s *session) error {
	for _, b := range []struct {
		system  string
		measure func(context.Context, *session) (*measure.Measurement, error)
	}{{runs.Concatenation, concatenation}, {runs.Pipeline, pipeline}, {runs.Discussion, discussion}} {
		if !j.wants(b.system) {
			continue
		}
		m, err := j.measure(ctx, b.system, 0, func(ctx context.Context) (*measure.Measurement, error) { return b.measure(ctx, s) })
		if err != nil {
			return err
		}
		j.baselines = append(j.baselines, m)
	}
	return nil
}

// concatenation lets all agents answer once, without a word from each other.
func concatenation(ctx context.Context, s *session) (*measure.Measurement, error) {
	team, err := s.otherTeam("parallel", 1, nil)
	if err != nil {
		return nil, err
	}
	return team.measurer().Debates(ctx, runs.Concatenation, team.withBudget(s.recipe.AnswerTokens()))
}

// discussion lets all agents answer, read what the others have answered, and answer again.
func discussion(ctx context.Context, s *session) (*measure.Measurement, error) {
	team, err := s.otherTeam("debate", 2, &team.Discussion)
	if err != nil {
		return nil, err
	}
	return team.measurer().Debates(ctx, runs.Discussion, team.withBudget(s.recipe.AnswerTokens()))
}

// otherTeam returns the session with the same agents under another protocol.
func (s *session) otherTeam(protocol string, turns int, later *string) (*session, error) {
	r := *s.recipe
	r.Team.Protocol, r.Team.Turns, r.Team.History = protocol, turns, "all"
	r.Team.Feedback, r.Team.RewardFeedback, r.Team.ChatMemory = string(team.Plain), false, recipe.ChatMemory{Original: true, Previous: true}
	if later != nil {
		r.Team.Prompts.Later = *later
	}
	p, err := newProtocol(&r)
	if err != nil {
		return nil, &UserError{Err: err}
	}
	other := *s
	agents := make([]int, p.Agents()) // one model has spoken for all
	if n := s.protocol.Agents(); n == len(agents) {
		for agent := range agents {
			agents[agent] = agent
		}
	}
	other.recipe, other.protocol, other.scorer = &r, p, s.scorer.ForAgents(&r, agents)
	other.sharing.Bases = make([]int, len(agents))
	for i, agent := range agents {
		other.sharing.Bases[i] = s.sharing.Bases[agent]
	}
	return &other, nil
}

// withBudget is the rollout of the untrained team in which all answers together may have so many tokens.
func (s *session) withBudget(tokens int) *rollout.Runner {
	r := s.evaluation(false)
	answers := s.protocol.Agents() * s.protocol.Turns()
	if s.recipe.Team.Protocol == "pipeline" {
		answers = s.protocol.Agents()
	}
	r.Settings.MaxTokens = max(1, tokens/answers)
	return r
}

// pipeline lets the agents answer one after the other. Each sees what those before it wrote.
func pipeline(ctx context.Context, s *session) (*measure.Measurement, error) {
	team, err := s.otherTeam("pipeline", 1, nil)
	if err != nil {
		return nil, err
	}
	return team.measurer().Debates(ctx, runs.Pipeline, team.withBudget(s.recipe.AnswerTokens()))
}
