package train

import (
	"context"
	"fmt"
	"strings"

	"parley/recipe"
	"parley/rollout"
	"parley/runs"
	"parley/task"
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
	other.sharing.bases = make([]int, len(agents))
	for i, agent := range agents {
		other.sharing.bases[i] = s.sharing.bases[agent]
	}
	return &other, nil
}

// withBudget is the rollout of the untrained team in which all answers together may have so many tokens.
func (s *session) withBudget(tokens int) *rollout.Runner {
	r := s.evaluation(false)
	r.Settings.MaxTokens = max(1, tokens/(s.protocol.Agents()*s.protocol.Turns()))
	return r
}

// pipeline lets the agents answer one after the other. Each sees what those before it wrote.
func pipeline(ctx context.Context, s *session) (*measure.Measurement, error) {
	team, err := s.otherTeam("parallel", 1, nil)
	if err != nil {
		return nil, err
	}
	whole := team.withBudget(s.recipe.AnswerTokens())
	before := map[string][]string{} // by problem
	tokens := map[string]int{}
	for agent := range team.protocol.Agents() {
		one := *whole
		one.Protocol, one.Actors, one.Scorer = relay{team.protocol, agent, before}, whole.Actors[agent:agent+1], unjudged{}
		episodes, err := one.Run(ctx, "measure pipeline", agent, s.test)
		if err != nil {
			return nil, fmt.Errorf("measure %s: %w", runs.Pipeline, err)
		}
		for _, e := range episodes {
			c := &e.Nodes[0].Agents[0].Completions[0]
			before[e.Problem.ID] = append(before[e.Problem.ID], c.Text)
			tokens[e.Problem.ID] += len(c.Tokens)
		}
	}
	m := &measure.Measurement{System: runs.Pipeline, Scores: make([][]float64, 1)}
	for _, p := range s.test {
		score, err := s.scorer.Joint().Score(p, before[p.ID])
		if err != nil {
			return nil, fmt.Errorf("measure %s: score problem %s: %w", runs.Pipeline, p.ID, err)
		}
		m.Scores[0] = append(m.Scores[0], s.measurer().Scaled(score.Reward))
		m.Tokens, m.Latency = append(m.Tokens, tokens[p.ID]), append(m.Latency, tokens[p.ID])
		m.AddParts(score)
	}
	return m, nil
}

// A relay asks one agent of a team, and shows it what was said before.
type relay struct {
	team   team.Protocol
	agent  int
	before map[string][]string
}

func (relay) Agents() int { return 1 }
func (relay) Turns() int  { return 1 }

// Next implements [team.Protocol].
func (r relay) Next(p task.Problem, h team.History) ([]team.Ask, error) {
	asks, err := r.team.Next(p, h)
	if err != nil || len(asks) == 0 {
		return nil, err
	}
	ask := asks[r.agent]
	ask.Agent = 0
	if before := r.before[p.ID]; len(before) > 0 {
		var b strings.Builder
		b.WriteString("\n\nThose before you wrote:")
		for i, text := range before {
			fmt.Fprintf(&b, "\n\nAgent %d:\n%s", i+1, strings.TrimSpace(text))
		}
		last := ask.Messages[len(ask.Messages)-1]
		last.Content += b.String()
		ask.Messages = append(ask.Messages[:len(ask.Messages)-1:len(ask.Messages)-1], last)
	}
	return []team.Ask{ask}, nil
}

// unjudged gives no rewards: whoever uses it scores texts later.
type unjudged struct{}

// Score implements [rollout.Scorer].
func (unjudged) Score(_ context.Context, turn []rollout.ScoreItem) error {
	for _, t := range turn {
		t.Node.Rewards = make([]float64, len(t.Node.Joint))
	}
	return nil
}
