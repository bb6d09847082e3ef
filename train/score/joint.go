package score

import (
	"context"
	"fmt"
	"math"

	"parley/rl/rollout"
	"parley/rl/rollout/gather"
	"parley/task"
	"parley/team"
)

// rewards gives every joint action of a node its processed reward.
func (s *Scorer) rewards(ctx context.Context, t rollout.ScoreItem) error {
	p, n := t.Problem, t.Node
	if n.Rewards = make([]float64, len(n.Joint)); s.world || s.waits(t) {
		return nil
	}
	if t.Final != nil {
		return s.rewardAnswers(ctx, t)
	}
	if s.joint != nil {
		n.Scored = make([]task.Score, len(n.Joint))
	}
	if s.reports(n.Turn) {
		n.Reports = make([][]string, len(n.Joint))
	}
	return gather.All(len(n.Joint), func(k int) error {
		raw, err := s.raw(ctx, t, k)
		if err != nil {
			return err
		}
		if n.Reports != nil {
			if n.Reports[k], err = s.report(ctx, t, k); err != nil {
				return err
			}
		}
		if err := finite(p, "the reward", raw); err != nil {
			return err
		}
		n.Rewards[k] = s.process.Process(raw, tokensOf(n, n.Joint[k]))
		return nil
	})
}

// raw is the reward of the k-th joint action before processing: the task's joint reward, or the mean score of its answers.
func (s *Scorer) raw(ctx context.Context, t rollout.ScoreItem, k int) (float64, error) {
	p, n, action := t.Problem, t.Node, t.Node.Joint[k]
	if s.joint == nil {
		sum := 0.0
		for a, g := range action {
			c := &n.Agents[a].Completions[g]
			if len(c.Flags) > 0 {
				sum += s.recipe.Reward.Penalties.Size
			} else {
				sum += c.Score
			}
		}
		return sum / float64(len(action)), nil
	}
	responses, ok := s.responses(t, action)
	if !ok {
		n.Scored[k] = task.Score{Flags: []string{"unparsable"}, Signals: &task.Signals{Solved: new(float64)}}
		return 0, nil
	}
	score, err := s.joint.Score(ctx, p, responses)
	if err != nil {
		return 0, fmt.Errorf("score problem %s: %w", p.ID, err)
	}
	n.Scored[k] = score
	return score.Reward, nil
}

// waits reports that a node is rewarded for what the whole team wrote, of whom some have not spoken yet. It earns nothing.
func (s *Scorer) waits(t rollout.ScoreItem) bool {
	if s.joint == nil && s.user == nil || t.Final != nil {
		return false
	}
	_, complete := t.Responses(t.Node.Joint[0])
	return !complete
}

// responses are what the agents of the team have written once a joint action is said. One model that writes for all of them may fail to
// keep their parts apart.
func (s *Scorer) responses(t rollout.ScoreItem, action []int) (texts []string, ok bool) {
	texts, ok = t.Responses(action)
	if s.recipe.OneModel() {
		return team.Split(texts[0], s.recipe.Team.Agents.N)
	}
	return texts, ok
}

func tokensOf(n *rollout.Node, action []int) int {
	sum := 0
	for a, g := range action {
		sum += len(n.Agents[a].Completions[g].Tokens)
	}
	return sum
}

// finite returns an error that names the problem when a task's score is not a number.
func finite(p task.Problem, what string, x float64) error {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Errorf("problem %s: %s is %v: the task must return a finite number", p.ID, what, x)
	}
	return nil
}
