package score

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"parley/internal/usererror"
	"parley/recipe/keys"
	"parley/rl/rollout"
	"parley/rl/rollout/gather"
	"parley/task"
	"parley/task/sandbox"
	"parley/task/user"
	"parley/train/plan"
)

// openUser opens the user's own reward; nil: the recipe has none.
func openUser(ctx context.Context, r keys.Reward) (*user.Reward, error) {
	if r.Source != "user" {
		return nil, nil
	}
	key, err := plan.Secret("reward.user.key_env", r.User.KeyEnv)
	if err != nil {
		return nil, err
	}
	out, err := user.Open(ctx, UserSettings(r.User, key))
	if _, ok := errors.AsType[*sandbox.Unavailable](err); ok {
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

// askUser asks the user's reward about all joint actions of a turn at once. A node with an action without a reward has failed. A
// text that cannot be split into responses earns nothing, and the reward is not asked about it. It is not asked about responses
// that are not complete yet either.
func (s *Scorer) askUser(ctx context.Context, turn []rollout.ScoreItem) error {
	var calls []user.Call
	asked := make([][]asking, len(turn))
	for i, t := range turn {
		if s.waits(t) {
			continue
		}
		item, err := json.Marshal(t.Problem)
		if err != nil {
			return fmt.Errorf("problem %s: %w", t.Problem.ID, err)
		}
		for k := range t.Node.Joint {
			a, err := s.asking(t, k)
			if err != nil {
				failAfter(t.Node, err)
				break
			}
			if a.call = -1; a.whole && a.texts != nil {
				a.call = len(calls)
				calls = append(calls, user.Call{Item: item, Responses: a.texts})
			}
			asked[i] = append(asked[i], a)
		}
	}
	answers, err := s.user.Score(ctx, calls)
	if err != nil {
		return err
	}
	for i, t := range turn {
		if t.Node.Failed != "" {
			continue
		}
		if asked[i] == nil {
			t.Node.Rewards = make([]float64, len(t.Node.Joint))
			continue
		}
		if err := s.take(ctx, t, asked[i], answers); err != nil {
			return err
		}
	}
	return nil
}

// An asking is what the user's reward is to be asked about a joint action.
type asking struct {
	texts []string // nil: they cannot be told apart
	whole bool     // false: the episode goes on, and earns nothing yet
	call  int      // its number among the calls; −1: it is none
}

func (s *Scorer) asking(t rollout.ScoreItem, k int) (asking, error) {
	if t.Final != nil {
		texts, over, err := t.Final(k)
		return asking{texts: texts, whole: over}, err
	}
	texts, ok := s.responses(t, t.Node.Joint[k])
	if !ok {
		texts = nil
	}
	return asking{texts: texts, whole: true}, nil
}

// unparsable is the score of what cannot be split: 0, or what of the user's range is next to it.
func (s *Scorer) unparsable() task.Score {
	least, most := s.Range()
	return task.Score{Reward: min(max(0, least), most), Flags: []string{"unparsable"}}
}

// take gives a node its rewards and what later turns are told, or the reason why it has none.
func (s *Scorer) take(ctx context.Context, t rollout.ScoreItem, asked []asking, answers []user.Verdict) error {
	n := t.Node
	n.Rewards = make([]float64, len(n.Joint))
	scored := make([]task.Score, len(n.Joint))
	for k, a := range asked {
		if !a.whole {
			continue
		}
		n.Scored = scored
		if scored[k] = s.unparsable(); a.call >= 0 {
			if err := answers[a.call].Err; err != nil {
				n.Fail(err.Error())
				return nil
			}
			scored[k] = answers[a.call].Score
			if err := s.payAgents(n, k, &scored[k], answers[a.call].Own); err != nil {
				n.Fail(err.Error())
				return nil
			}
		}
		n.Rewards[k] = s.process.Process(scored[k].Reward, tokensOf(n, n.Joint[k]))
	}
	if !s.reports(n.Turn) {
		return nil
	}
	n.Reports = make([][]string, len(n.Joint))
	return gather.All(len(n.Joint), func(k int) (err error) {
		n.Reports[k], err = s.report(ctx, t, k)
		return err
	})
}
