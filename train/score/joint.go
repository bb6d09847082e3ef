package score

import (
	"fmt"
	"math"
	"parley/rollout"
	"parley/task"
	"parley/team"
)

// rewards gives every joint action of a node its processed reward.
func (s *Scorer) rewards(p task.Problem, n *rollout.Node) error {
	n.Rewards = make([]float64, len(n.Joint))
	if s.joint != nil {
		n.Scored = make([]task.Score, len(n.Joint))
	}
	if s.reports(n.Turn) {
		n.Reports = make([][]string, len(n.Joint))
	}
	return rollout.Concurrently(len(n.Joint), func(k int) error {
		raw, err := s.raw(p, n, k)
		if err != nil {
			return err
		}
		if n.Reports != nil {
			if n.Reports[k], err = s.report(p, n, k); err != nil {
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
func (s *Scorer) raw(p task.Problem, n *rollout.Node, k int) (float64, error) {
	action := n.Joint[k]
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
	responses, ok := s.responses(n, action)
	if !ok {
		n.Scored[k] = task.Score{Flags: []string{"unparsable"}, Signals: &task.Signals{Solved: new(float64)}}
		return 0, nil
	}
	score, err := s.joint.Score(p, responses)
	if err != nil {
		return 0, fmt.Errorf("score problem %s: %w", p.ID, err)
	}
	n.Scored[k] = score
	return score.Reward, nil
}

// responses are what the agents wrote in a joint action. One model that writes for all of them may fail to keep their parts apart.
func (s *Scorer) responses(n *rollout.Node, action []int) (texts []string, ok bool) {
	texts = responsesOf(n, action)
	if s.recipe.Team.Protocol == "central" {
		return team.Split(texts[0], s.recipe.Team.Agents)
	}
	return texts, true
}

func tokensOf(n *rollout.Node, action []int) int {
	sum := 0
	for a, g := range action {
		sum += len(n.Agents[a].Completions[g].Tokens)
	}
	return sum
}

// responsesOf are the texts of a joint action.
func responsesOf(n *rollout.Node, action []int) []string {
	responses := make([]string, len(action))
	for a, g := range action {
		responses[a] = n.Agents[a].Completions[g].Text
	}
	return responses
}

// finite returns an error that names the problem when a task's score is not a number.
func finite(p task.Problem, what string, x float64) error {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Errorf("problem %s: %s is %v: the task must return a finite number", p.ID, what, x)
	}
	return nil
}
