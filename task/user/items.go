package user

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/task"
)

// A NoReward error says why some responses have no reward. Others may have rewards.
type NoReward struct{ Reason error }

func (e *NoReward) Error() string { return e.Reason.Error() }

func (e *NoReward) Unwrap() error { return e.Reason }

// Items scores single items, which may be any JSON objects: the reward gets them as they are. Responses without a reward are a [*NoReward]
// error. Names are those of the agents, in whose order they may be paid; agents without names are agent1, agent2 and so on.
func Items(ctx context.Context, s Settings, names []string) (*task.ItemScorer, error) {
	r, err := Open(ctx, s)
	if err != nil {
		return nil, err
	}
	return &task.ItemScorer{Read: readAny, Close: r.Close, Score: func(ctx context.Context, p task.Problem, responses []string) (task.Score, error) {
		verdicts, err := r.Score(ctx, []Call{{Item: json.RawMessage(p.Question), Responses: responses}})
		if err != nil {
			return task.Score{}, err
		}
		if err := verdicts[0].Err; err != nil {
			return task.Score{}, &NoReward{err}
		}
		return paid(verdicts[0], names), nil
	}}, nil
}

// paid is a score with what agents are paid by name, in whatever form they were.
func paid(v Verdict, names []string) task.Score {
	if v.Own != nil {
		v.Score.Agents = map[string]float64{}
	}
	for i, reward := range v.Own {
		name := fmt.Sprintf("agent%d", i+1)
		if i < len(names) {
			name = names[i]
		}
		v.Score.Agents[name] = reward
	}
	return v.Score
}

// readAny keeps the text of an item.
func readAny(item []byte, _ int) (task.Problem, error) {
	return task.Problem{Question: string(item)}, json.Unmarshal(item, &map[string]any{})
}
