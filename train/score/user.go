package score

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"parley/internal/usererror"
	"parley/recipe/keys"
	"parley/rollout"
	"parley/sandbox"
	"parley/task"
	"parley/task/user"
)

// openUser opens the user's own reward; nil: the recipe has none.
func openUser(ctx context.Context, r keys.Reward) (*user.Reward, error) {
	if r.Source != "user" {
		return nil, nil
	}
	key, err := keyFrom("reward.user.key_env", r.User.KeyEnv)
	if err != nil {
		return nil, err
	}
	out, err := user.Open(ctx, UserSettings(r.User, key))
	var missing *sandbox.Unavailable
	if errors.As(err, &missing) {
		return nil, err // the machine's fault, not the recipe's
	}
	if err != nil {
		return nil, &usererror.Error{Err: err}
	}
	return out, nil
}

// UserSettings are a recipe's for a reward of the user's own.
func UserSettings(u keys.User, key string) user.Settings {
	return user.Settings{
		Python: u.Python, Isolated: u.Isolated, Command: u.Command, Expression: u.Expression, URL: u.URL, Key: key,
		Least: u.Min, Most: u.Max, Deadline: time.Duration(u.Seconds * float64(time.Second)), Retries: u.Retries, Memory: int64(u.MemoryMB) << 20,
	}
}

// askUser asks the user's reward about all joint actions of a turn at once. A node with an action without a reward has failed. What
// cannot be split into responses is not asked about: it earns nothing.
func (s *Scorer) askUser(ctx context.Context, turn []rollout.ScoreItem) error {
	var calls []user.Call
	var verdicts []user.Verdict
	var at []int // of each call among the verdicts
	for _, t := range turn {
		if s.waits(t) {
			continue
		}
		item, err := json.Marshal(t.Problem)
		if err != nil {
			return fmt.Errorf("problem %s: %w", t.Problem.ID, err)
		}
		for _, action := range t.Node.Joint {
			responses, ok := s.responses(t, action)
			if ok {
				calls, at = append(calls, user.Call{Item: item, Responses: responses}), append(at, len(verdicts))
			}
			verdicts = append(verdicts, user.Verdict{Score: s.unparsable()})
		}
	}
	answers, err := s.user.Score(ctx, calls)
	if err != nil {
		return err
	}
	for i, v := range answers {
		verdicts[at[i]] = v
	}
	for _, t := range turn {
		n := len(t.Node.Joint)
		if s.waits(t) {
			t.Node.Rewards = make([]float64, n)
			continue
		}
		if err := s.take(t, verdicts[:n]); err != nil {
			return err
		}
		verdicts = verdicts[n:]
	}
	return nil
}

// unparsable is the score of what cannot be split: 0, or what of the user's range is next to it.
func (s *Scorer) unparsable() task.Score {
	least, most := s.Range()
	return task.Score{Reward: min(max(0, least), most), Flags: []string{"unparsable"}}
}

// take gives a node its rewards and what later turns are told, or the reason why it has none.
func (s *Scorer) take(t rollout.ScoreItem, verdicts []user.Verdict) error {
	n := t.Node
	n.Rewards, n.Scored = make([]float64, len(n.Joint)), make([]task.Score, len(n.Joint))
	for k, v := range verdicts {
		if v.Err != nil {
			n.Failed, n.Rewards, n.Scored = v.Err.Error(), nil, nil
			return nil
		}
		n.Scored[k] = v.Score
		n.Rewards[k] = s.process.Process(v.Score.Reward, tokensOf(n, n.Joint[k]))
	}
	if !s.reports(n.Turn) {
		return nil
	}
	n.Reports = make([][]string, len(n.Joint))
	return rollout.Concurrently(len(n.Joint), func(k int) (err error) {
		n.Reports[k], err = s.report(t, k)
		return err
	})
}
