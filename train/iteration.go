package train

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"parley/credit"
	"parley/engine"
	"parley/learn/preference"
	"parley/rollout"
	"parley/task"
)

// snapshot names a policy as it was when an iteration began, from 0. The first began with the base.
func snapshot(p engine.Policy, iteration int) engine.Policy {
	if iteration <= 0 || p == engine.Base {
		return engine.Base
	}
	return engine.Policy(fmt.Sprintf("%s-iteration%d", p, iteration+1))
}

// snapshots lists those that a run keeps beside its policies.
func (s *session) snapshots() []placed {
	if !s.recipe.Prefers() {
		return nil
	}
	var out []placed
	for i := 1; i < s.recipe.Preference.Iterations; i++ {
		for _, t := range s.sharing.Trained(s.protocol.Turns(), false) {
			out = append(out, placed{snapshot(t.Policy, i), s.baseOf(t.Agent)})
		}
	}
	return out
}

// iterate prepares the next update where an iteration begins with it: policies are copied, and a reward model learns from what
// they write.
func (l *loop) iterate(ctx context.Context) error {
	r := l.session.recipe
	if !r.Prefers() {
		return nil
	}
	i := r.Iteration(l.done)
	if l.done > 0 && r.Iteration(l.done-1) == i {
		return nil
	}
	if i > 0 {
		for _, t := range l.session.sharing.Trained(l.session.protocol.Turns(), false) {
			if err := copyPolicy(ctx, l.session.baseOf(t.Agent).engine, t.Policy, snapshot(t.Policy, i)); err != nil {
				return fmt.Errorf("begin iteration %d: %w", i+1, err)
			}
		}
	}
	if r.Reward.Source == "preferences" {
		return l.trainRewardModel(ctx, i)
	}
	return nil
}

// copyPolicy makes one policy of an engine equal to another.
func copyPolicy(ctx context.Context, e engine.Engine, from, to engine.Policy) error {
	dir, err := os.MkdirTemp("", "parley-policy-")
	if err != nil {
		return fmt.Errorf("copy policy %s: %w", from, err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "policy")
	if err := e.Save(ctx, from, file); err != nil {
		return fmt.Errorf("copy policy %s: %w", from, err)
	}
	if err := e.Load(ctx, to, file); err != nil {
		return fmt.Errorf("copy policy %s: %w", from, err)
	}
	return nil
}

// candidates lets the team of an iteration, and the team that it is compared with, write joint responses to problems. They are
// scored by the task.
func (l *loop) candidates(ctx context.Context, purpose string, iteration int, problems []task.Problem) ([]*rollout.Episode, error) {
	p := l.session.recipe.Preference
	n := p.Candidates
	if p.Comparator != "current" {
		n /= 2
	}
	episodes, err := l.writers(iteration, n).Run(ctx, purpose, l.done+1, problems)
	if err != nil || p.Comparator == "current" {
		return episodes, err
	}
	others := l.writers(iteration-p.CheckpointAge, n)
	if p.Comparator == "model" {
		others = l.timeline.runner(l.session.rivals(l.writers(0, n)))
	}
	more, err := others.Run(ctx, purpose+" comparator", l.done+1, problems)
	if err != nil {
		return nil, err
	}
	if p.Comparator == "model" {
		l.session.encode(more)
	}
	return episodes, preference.Merge(episodes, more)
}

// writers is the team of an iteration, with n candidates a problem.
func (l *loop) writers(iteration, n int) *rollout.Runner {
	s := l.session
	r := s.runner(true, s.trainingSampling(), rollout.Settings{Group: n, Joint: credit.Aligned, MaxTokens: s.recipe.Sampling.MaxTokens, MinTokens: s.recipe.Sampling.MinTokens})
	for agent := range r.Actors {
		r.Actors[agent].Policy = func(turn int) engine.Policy { return snapshot(s.sharing.Policy(turn, agent), iteration) }
	}
	r.Scorer = s.scorer.ByTask()
	return l.timeline.runner(r)
}

// rollout plays the problems of the next update.
func (l *loop) rollout(ctx context.Context) ([]*rollout.Episode, error) {
	problems := l.session.order.batch(l.done)
	if l.session.recipe.Algorithm.Pairs() {
		return l.candidates(ctx, "train", l.session.recipe.Iteration(l.done), problems)
	}
	r := l.session.training()
	if l.done < l.session.recipe.Team.WarmUp {
		r.Settings.Ends = func(*rollout.Node) bool { return true }
	}
	return l.timeline.runner(r).Run(ctx, "train", l.done+1, problems)
}
