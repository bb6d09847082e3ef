package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"parley/recipe"
	"parley/rollout"
	"parley/sandbox"
	"parley/task"
	"parley/task/user"
)

// openUser opens the user's own reward; nil: the recipe has none.
func openUser(ctx context.Context, r recipe.Reward) (*user.Reward, error) {
	if r.Verifier != "user" {
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
		return nil, &UserError{err}
	}
	return out, nil
}

// UserSettings are a recipe's for a reward of the user's own.
func UserSettings(u recipe.User, key string) user.Settings {
	return user.Settings{Python: u.Python, Isolated: u.Isolated, Command: u.Command, Expression: u.Expression, URL: u.URL, Key: key,
		Least: u.Least, Most: u.Most, Deadline: time.Duration(u.Seconds * float64(time.Second)), Retries: u.Retries, Memory: int64(u.MemoryMB) << 20}
}

// askUser asks the user's reward about all joint actions of a turn at once. A node with an action without a reward has failed.
func (j *judge) askUser(ctx context.Context, turn []rollout.Judged) error {
	var calls []user.Call
	for _, t := range turn {
		item, err := json.Marshal(t.Problem)
		if err != nil {
			return fmt.Errorf("problem %s: %w", t.Problem.ID, err)
		}
		for _, action := range t.Node.Joint {
			calls = append(calls, user.Call{Item: item, Responses: responsesOf(t.Node, action)})
		}
	}
	verdicts, err := j.user.Score(ctx, calls)
	if err != nil {
		return err
	}
	for _, t := range turn {
		n := len(t.Node.Joint)
		j.take(t.Node, verdicts[:n])
		verdicts = verdicts[n:]
	}
	return nil
}

// take gives a node its rewards, or the reason why it has none.
func (j *judge) take(n *rollout.Node, verdicts []user.Verdict) {
	n.Rewards, n.Scored = make([]float64, len(n.Joint)), make([]task.Score, len(n.Joint))
	for k, v := range verdicts {
		if v.Err != nil {
			n.Failed, n.Rewards, n.Scored = v.Err.Error(), nil, nil
			return
		}
		n.Scored[k] = v.Score
		n.Rewards[k] = j.process.Process(v.Score.Reward, tokensOf(n, n.Joint[k]))
	}
}

// responsesOf are the texts of a joint action.
func responsesOf(n *rollout.Node, action []int) []string {
	responses := make([]string, len(action))
	for s, g := range action {
		responses[s] = n.Seats[s].Completions[g].Text
	}
	return responses
}
