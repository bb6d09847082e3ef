package train

import (
	"context"

	"parley/engine"
	"parley/recipe"
	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/learn/preference"
	"parley/rl/rollout"
	"parley/task"
	"parley/train/lineup"
	"parley/train/plan"
	"parley/train/together"
)

// iterate prepares the next update where a snapshot is taken or an iteration begins with it: policies are copied, and a reward model learns
// from what they write.
func (l *loop) iterate(ctx context.Context) error {
	r := l.team.Recipe
	if err := l.team.KeepOpponents(ctx, l.done); err != nil || !r.Prefers() {
		return err
	}
	i := plan.Iteration(r, l.done)
	if l.done > 0 && plan.Iteration(r, l.done-1) == i {
		return nil
	}
	if err := l.team.BeginIteration(ctx, l.done); err != nil {
		return err
	}
	if r.Reward.Source == "preferences" {
		return l.trainRewardModel(ctx, i)
	}
	return nil
}

// candidates lets the team of an iteration, and the team that it is compared with, write joint responses to problems. They are
// scored by the task.
func (l *loop) candidates(ctx context.Context, purpose string, iteration int, problems []task.Problem) ([]*rollout.Episode, error) {
	p := recipe.Section[preference.Settings](l.team.Recipe)
	n := p.Candidates
	if p.Comparator != "current" {
		n /= 2
	}
	episodes, err := l.writers(iteration, n).Run(ctx, purpose, l.done+1, problems)
	if err != nil || p.Comparator == "current" {
		return episodes, err
	}
	var more []*rollout.Episode
	if p.Comparator == "checkpoint" {
		more, err = l.writers(iteration-p.CheckpointAge, n).Run(ctx, purpose+" comparator", l.done+1, problems)
	} else {
		more, err = together.WriteRival(ctx, l.team, l.writers(0, n), l.timeline.Runner, purpose+" comparator", l.done+1, problems)
	}
	if err != nil {
		return nil, err
	}
	if note := l.rivals.Note(p, n, more); note != "" {
		l.observe(Event{Kind: Note, Phase: l.phase, Message: note})
	}
	return episodes, preference.Merge(episodes, more)
}

// writers is the team of an iteration, with n candidates a problem.
func (l *loop) writers(iteration, n int) *rollout.Runner {
	s := l.team
	r := s.Runner(true, plan.Sampling(s.Recipe), rollout.Settings{
		Group: n, Joint: credit.Aligned, MaxTokens: s.Recipe.Sampling.MaxTokens, MinTokens: s.Recipe.Sampling.MinTokens, Truncated: plan.Truncated(s.Recipe),
	})
	for agent := range r.Actors {
		r.Actors[agent].Policy = func(turn int) engine.Policy { return plan.Snapshot(s.Sharing.Policy(turn, agent), iteration) }
	}
	r.Scorer = s.Scorer.ByTask()
	return l.timeline.Runner(r)
}

// rollout plays the problems of the update after so many.
func (l *loop) rollout(ctx context.Context, done int) ([]*rollout.Episode, error) {
	problems := l.team.Training.Batch(done)
	if l.lessons != nil {
		return l.lessons.Episodes(done+1, problems)
	}
	if l.team.Recipe.Kind() == learn.Preferences {
		return l.candidates(ctx, "train", plan.Iteration(l.team.Recipe, done), problems)
	}
	r := l.team.Rollout()
	if done > l.done {
		r.Watch = nil // samples of the next update are not shown: the learner of this one reports at the same time
	}
	r.Opponent = l.team.Opponents(done, len(problems), max(r.Settings.Episodes, 1))
	if done < l.team.Recipe.Team.WarmUp {
		r.Settings.Ends = func(*rollout.Node) bool { return true }
	}
	episodes, err := l.timeline.Runner(r).Run(ctx, "train", done+1, problems)
	if without := l.team.Without(); err == nil && without != nil {
		err = lineup.AddSolo(ctx, l.timeline.Runner(without), episodes)
	}
	return episodes, err
}
