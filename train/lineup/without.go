package lineup

import (
	"context"
	"fmt"
	"slices"

	"parley/recipe"
	"parley/rl/learn"
	"parley/rl/rollout"
	"parley/task"
	"parley/team"
)

// Without returns the rollout of training episodes in which the agent that group.without names says nothing; nil: it names none.
func (l Lineup) Without() *rollout.Runner {
	name := recipe.Section[learn.Group](l.Recipe).Without
	agent := slices.Index(l.Recipe.Team.Agents.Names(), name)
	if name == "" || agent < 0 {
		return nil
	}
	r := l.Rollout()
	r.Protocol, r.Settings.ReuseInBackward = team.Without(r.Protocol, agent), false
	if r.Player != nil {
		r.Player = l.Harness.Without(agent)
	}
	return r
}

// AddSolo plays the problems of episodes once more without one of the agents, with random streams of their own.
func AddSolo(ctx context.Context, without *rollout.Runner, episodes []*rollout.Episode) error {
	if len(episodes) == 0 {
		return nil
	}
	problems := make([]task.Problem, len(episodes))
	for i, e := range episodes {
		problems[i] = e.Problem
	}
	solo, err := without.Run(ctx, "train without", episodes[0].Update, problems)
	if err != nil {
		return fmt.Errorf("play without an agent: %w", err)
	}
	for i, e := range episodes {
		e.Solo = solo[i]
	}
	return nil
}
