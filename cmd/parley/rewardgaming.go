package main

import (
	"fmt"
	"io"
	"strings"

	"parley/task"
	"parley/task/rewards"
)

// gamed scores what is known to game a task's reward beside an honest answer, under the standard and the robust scorer. That something
// earns more than honesty under the robust one is a failure.
func (c *rewardCmd) gamed(a *app) error {
	policies, err := rewards.Policies(c.Task)
	if err != nil {
		return err
	}
	if len(policies) == 0 {
		return usagef("--gaming: nothing is known that games task %s: write tldr, humaneval, coophumaneval or mbpp", c.Task)
	}
	var scores [2][]task.Score
	for i, scorer := range []string{"standard", "robust"} {
		if scores[i], err = c.scorePolicies(a, scorer, policies); err != nil {
			return err
		}
	}
	err = a.table(func(w io.Writer) {
		row(w, "policy", "standard", "robust", "flags")
		for i, p := range policies {
			row(w, p.Name, fmt.Sprintf("%.3f", scores[0][i].Reward), fmt.Sprintf("%.3f", scores[1][i].Reward), strings.Join(scores[1][i].Flags, ", "))
		}
	})
	if err != nil {
		return err
	}
	for i, s := range scores[1][1:] {
		if honest := scores[1][0].Reward; s.Reward >= honest {
			return fmt.Errorf("under the robust reward %q earns %.3f, as much as honesty or more (%.3f)", policies[i+1].Name, s.Reward, honest)
		}
	}
	return nil
}

// scorePolicies scores all policies in one way. A test of a program has a second.
func (c *rewardCmd) scorePolicies(a *app, scorer string, policies []rewards.Policy) ([]task.Score, error) {
	settings := rewards.Settings{"scorer": scorer}
	if c.Task != "tldr" {
		settings["seconds"] = "1"
	}
	s, err := rewards.Open(a.ctx, c.Task, settings)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	scores := make([]task.Score, len(policies))
	for i, p := range policies {
		problem, err := s.Read(p.Item, len(p.Responses))
		if err != nil {
			return nil, fmt.Errorf("policy %s: %w", p.Name, err)
		}
		if scores[i], err = s.Score(a.ctx, problem, p.Responses); err != nil {
			return nil, fmt.Errorf("policy %s: %w", p.Name, err)
		}
	}
	return scores, nil
}
