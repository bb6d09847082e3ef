package user

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/task"
)

// A NoReward error says why some responses have no reward. Others may have rewards.
type NoReward struct{ Reason error }

func (e *NoReward) Error() string { return e.Reason.Error() }

func (e *NoReward) Unwrap() error { return e.Reason }

// Items scores single items, which may be any JSON objects: the reward gets them as they are. Responses without a reward are a [*NoReward]
// error. Names are those of the agents, in whose order they may be paid, and who alone may be; nil: they are agent1, agent2 and so on, as many as are paid.
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
		if names != nil && len(responses) > 1 { // one response may be that of an agent who is measured alone, who is paid nothing
			if err := Pay(names, &verdicts[0].Score, verdicts[0].Own); err != nil {
				return task.Score{}, &NoReward{err}
			}
			return verdicts[0].Score, nil
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

// Pay gives the score what agents are paid by their names, and checks that they are those of the team.
func Pay(names []string, score *task.Score, ordered []float64) error {
	if ordered != nil && len(ordered) != len(names) {
		return fmt.Errorf("\"agents\" has %d rewards, expected one for each of %d agents", len(ordered), len(names))
	}
	if ordered != nil {
		score.Agents = map[string]float64{}
		for i, name := range names {
			score.Agents[name] = ordered[i]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(score.Agents)) {
		if !slices.Contains(names, name) {
			return fmt.Errorf("\"agents\" pays %.80q, who is not in the team: its agents are %s", name, strings.Join(names, ", "))
		}
	}
	return nil
}

// readAny keeps the text of an item.
func readAny(item []byte, _ int) (task.Problem, error) {
	return task.Problem{Question: string(item)}, json.Unmarshal(item, &map[string]any{})
}
