package measure

import (
	"context"
	"errors"

	"parley/engine"
	"parley/recipe"
	"parley/rl/learn"
	"parley/rl/rollout"
	"parley/runs"
	"parley/team"
	"parley/train/lineup"
	"parley/train/plan"
)

// Of returns what measures the teams of a lineup on its held-out problems.
func Of(l lineup.Lineup) Measurer {
	return Measurer{Recipe: l.Recipe, Scorer: l.Scorer, Problems: l.HeldOut, Keep: l.Keep}
}

// Team measures the team, trained or not, in the size that the recipe measures.
func Team(ctx context.Context, l lineup.Lineup, system string, trained bool) (*Measurement, error) {
	sized, err := l.WithAgents(l.Recipe.MeasuredAgents())
	if err != nil {
		return nil, err
	}
	m, err := Of(sized).Debates(ctx, system, sized.Evaluation(trained))
	if err != nil {
		return nil, err
	}
	m.Play, err = Plays(ctx, sized, trained)
	if failed := new(FailedError); errors.As(err, &failed) {
		m.Unplayed = failed.Error()
		return m, nil
	}
	return m, err
}

// DoubleTokens measures the untrained team with twice the tokens an answer, the paper's baseline (maporl.md §8.1).
func DoubleTokens(ctx context.Context, l lineup.Lineup) (*Measurement, error) {
	sized, err := l.WithAgents(l.Recipe.MeasuredAgents())
	if err != nil {
		return nil, err
	}
	runner := sized.Evaluation(false)
	runner.Settings.MaxTokens *= 2
	return Of(sized).Debates(ctx, runs.OffTheShelfDouble, runner)
}

// An UntrainedTeam is a way in which untrained agents work together, at the team's budget of tokens (magrpo.md §10).
type UntrainedTeam struct {
	System   string
	protocol string
	turns    int    // 0: one for each agent
	later    string // prompt of later turns
	answers  int    // of each agent
}

// UntrainedTeams lists those ways: all answer at once; one after the other, each reading those before it; all answer, read each other, and
// answer again.
func UntrainedTeams() []UntrainedTeam {
	return []UntrainedTeam{
		{System: runs.Concatenation, protocol: "parallel", turns: 1, answers: 1},
		{System: runs.Pipeline, protocol: "pipeline", answers: 1},
		{System: runs.Discussion, protocol: "debate", turns: 2, later: team.Discussion, answers: 2},
	}
}

// Measure lets the lineup's agents work together in this way, all answers together at most as long as those of the recipe's team.
func (u UntrainedTeam) Measure(ctx context.Context, l lineup.Lineup) (*Measurement, error) {
	other, err := l.WithProtocol(u.protocol, u.turns, u.later)
	if err != nil {
		return nil, err
	}
	runner := other.Evaluation(false)
	runner.Settings.MaxTokens = max(1, l.Recipe.AnswerTokens()/(other.Protocol.Agents()*u.answers))
	return Of(other).Debates(ctx, u.System, runner)
}

// Alone returns the rollout of one agent that answers a held-out problem once, allowed as many tokens as the whole team of r.
func Alone(l lineup.Lineup, r *recipe.Recipe, trained bool) (*rollout.Runner, error) {
	single, err := plan.Single(r)
	if err != nil {
		return nil, err
	}
	one, err := l.Solo(single, l.Recipe.Soloist())
	if err != nil {
		return nil, err
	}
	one.Sharing.Policies = single.Policies
	runner := one.Evaluation(trained)
	runner.Settings.MaxTokens = r.AnswerTokens()
	return runner, nil
}

// QuestionAlone measures one policy as a single agent who answers the question once, without history (MAPoRL, Remark 2): what it has learned
// of the task, and not of talking.
func QuestionAlone(ctx context.Context, l lineup.Lineup, system string, p learn.Trainee) (*Measurement, error) {
	single, err := plan.Single(l.Recipe)
	if err != nil {
		return nil, err
	}
	one, err := l.Solo(single, p.Agent)
	if err != nil {
		return nil, err
	}
	runner := one.Evaluation(false)
	runner.Actors[0].Policy = func(int) engine.Policy { return p.Policy }
	return Of(l).Votes(ctx, system, runner, 1)
}
