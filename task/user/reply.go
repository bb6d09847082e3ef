package user

import (
	"encoding/json"
	"errors"
	"fmt"

	"parley/task"
)

// reply is the long form of an answer.
type reply struct {
	Reward *float64           `json:"reward"`
	Parts  map[string]float64 `json:"parts"`
	Flags  []string           `json:"flags"`
	Error  string             `json:"error"`
}

// parse reads an answer: a number, true for 1 and false for 0, or the long form.
func parse(body []byte) (task.Score, error) {
	var x float64
	if json.Unmarshal(body, &x) == nil && string(body) != "null" {
		return task.Score{Reward: x}, nil
	}
	var yes bool
	if json.Unmarshal(body, &yes) == nil && string(body) != "null" {
		if yes {
			x = 1
		}
		return task.Score{Reward: x}, nil
	}
	var r reply
	if err := json.Unmarshal(body, &r); err != nil {
		return task.Score{}, fmt.Errorf(`%.80s is neither a number nor {"reward": number, …}`, body)
	}
	switch {
	case r.Error != "":
		return task.Score{}, errors.New(r.Error)
	case r.Reward == nil:
		return task.Score{}, fmt.Errorf(`%.80s has no "reward"`, body)
	}
	return task.Score{Reward: *r.Reward, Parts: r.Parts, Flags: r.Flags}, nil
}

// hasReward checks a line of a program.
func hasReward(line []byte) error {
	_, err := parse(line)
	return err
}
