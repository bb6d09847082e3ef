package score

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"parley/rl/rollout"
	"parley/rl/rollout/gather"
	"parley/task"
)

// rewardAnswers gives every joint action of a node that ends its episode the reward of what the team answers then; others earn nothing. It is
// what the team's program says, or the task's joint reward of the texts, or whether the answer is right.
func (s *Scorer) rewardAnswers(ctx context.Context, t rollout.ScoreItem) error {
	n := t.Node
	scored := make([]task.Score, len(n.Joint))
	ended, failed := make([]bool, len(n.Joint)), make([]error, len(n.Joint))
	err := gather.All(len(n.Joint), func(k int) error {
		texts, over, err := t.Final(k)
		if failed[k] = err; err != nil || !over {
			return nil
		}
		if ended[k] = true; t.Paid != nil {
			scored[k] = *t.Paid
		} else if scored[k], err = s.answered(ctx, t.Problem, texts); err != nil {
			return err
		}
		if err := finite(t.Problem, "the reward", scored[k].Reward); err != nil {
			return err
		}
		n.Rewards[k] = s.process.Process(scored[k].Reward, tokensOf(n, n.Joint[k]))
		return nil
	})
	if slices.Contains(ended, true) {
		n.Scored = scored
	}
	if why := cmp.Or(failed...); why != nil {
		failAfter(n, why)
	}
	return err
}

// failAfter fails a node behind which the protocol could not go on.
func failAfter(n *rollout.Node, why error) {
	n.Fail(fmt.Sprintf("after turn %d: %v", n.Turn+1, why))
}

// answered is what the texts that a team answers with are worth.
func (s *Scorer) answered(ctx context.Context, p task.Problem, texts []string) (task.Score, error) {
	if s.joint != nil {
		score, err := s.joint.Score(ctx, p, texts)
		if err != nil {
			err = fmt.Errorf("score problem %s: %w", p.ID, err)
		}
		return score, err
	}
	right := 0.0
	for _, text := range texts {
		answer, ok := task.AnswerTo(s.answerer, p, text)
		right += one(ok && answer == p.Right()) / float64(len(texts))
	}
	return task.Score{Reward: right}, nil
}
