package user

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"parley/internal/service"
	"parley/task"
)

// reply is the long form of an answer, not yet read.
type reply struct {
	Reward json.RawMessage `json:"reward"`
	Parts  json.RawMessage `json:"parts"`
	Flags  json.RawMessage `json:"flags"`
	Agents json.RawMessage `json:"agents"`
	Error  string          `json:"error"`
}

// parse reads an answer: a number, true for 1 and false for 0, or the long form.
func parse(body []byte) (Verdict, error) {
	if x, ok := number(body); ok {
		return Verdict{Score: task.Score{Reward: x}}, nil
	}
	var r reply
	if err := json.Unmarshal(body, &r); err != nil {
		return Verdict{}, fmt.Errorf(`%.80s is neither a number nor {"reward": number, …}`, body)
	}
	switch {
	case r.Error != "":
		return Verdict{}, &ownError{service.Own(r.Error)}
	case absent(r.Reward):
		return Verdict{}, fmt.Errorf(`%.80s has no "reward", expected a number or {"reward": number, …}: is a return missing?`, body)
	}
	score, err := r.score()
	if err != nil {
		return Verdict{}, err
	}
	v := Verdict{Score: score}
	v.Score.Agents, v.Own, err = agents(r.Agents)
	return v, err
}

// score reads the fields of the long form.
func (r *reply) score() (s task.Score, err error) {
	var ok bool
	if s.Reward, ok = number(r.Reward); !ok {
		return s, fmt.Errorf(`"reward" is %.80s, expected a number`, r.Reward)
	}
	if s.Parts, err = parts(r.Parts); err != nil {
		return s, err
	}
	s.Flags, err = flags(r.Flags)
	return s, err
}

// number reads a number; true is 1 and false 0.
func number(body []byte) (x float64, ok bool) {
	switch string(bytes.TrimSpace(body)) {
	case "true":
		return 1, true
	case "false":
		return 0, true
	case "null":
		return 0, false
	}
	return x, json.Unmarshal(body, &x) == nil
}

// agents reads what single agents are paid: by name, or a list in agent order.
func agents(body json.RawMessage) (named map[string]float64, ordered []float64, err error) {
	if absent(body) {
		return nil, nil, nil
	}
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil {
		ordered = make([]float64, len(list))
		for i, value := range list {
			var ok bool
			if ordered[i], ok = number(value); !ok {
				return nil, nil, fmt.Errorf(`reward %d of "agents" is %.80s, expected a number`, i+1, value)
			}
		}
		return nil, ordered, nil
	}
	var by map[string]json.RawMessage
	if err := json.Unmarshal(body, &by); err != nil {
		return nil, nil, fmt.Errorf(`"agents" is %.80s, expected a number for each agent: write {"writer": 0.5}, or a list in agent order`, body)
	}
	named = make(map[string]float64, len(by))
	for name, value := range by {
		x, ok := number(value)
		if !ok {
			return nil, nil, fmt.Errorf(`the reward of agent %.80q is %.80s, expected a number`, name, value)
		}
		named[name] = x
	}
	return named, nil, nil
}

// parts reads named numbers. Without any it is nil.
func parts(body json.RawMessage) (map[string]float64, error) {
	if absent(body) {
		return nil, nil
	}
	var named map[string]json.RawMessage
	if err := json.Unmarshal(body, &named); err != nil {
		return nil, fmt.Errorf(`"parts" is %.80s, expected named numbers: write {"short": 0.5}`, body)
	}
	out := make(map[string]float64, len(named))
	for name, value := range named {
		x, ok := number(value)
		if !ok {
			return nil, fmt.Errorf(`part %.80q is %.80s, expected a number`, name, value)
		}
		out[name] = x
	}
	return out, nil
}

// flags reads a list of texts. A text alone is no list: its letters are not what was meant.
func flags(body json.RawMessage) ([]string, error) {
	if absent(body) {
		return nil, nil
	}
	var one string
	if json.Unmarshal(body, &one) == nil {
		return nil, fmt.Errorf(`"flags" is the text %.80q, expected a list of texts: write [%.80q]`, one, one)
	}
	var list []*string
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, fmt.Errorf(`"flags" is %.80s, expected a list of texts: write ["long"]`, body)
	}
	out := make([]string, len(list))
	for i, text := range list {
		if text == nil {
			return nil, fmt.Errorf(`"flags" is %.80s, expected a list of texts: write ["long"]`, body)
		}
		out[i] = *text
	}
	return out, nil
}

func absent(body json.RawMessage) bool { return len(body) == 0 || string(body) == "null" }

// An ownError is one that a reward says itself. It is an answer: another try would not change it.
type ownError struct{ error }

// answers checks a reply.
func answers(body []byte) error {
	_, err := parse(body)
	if errors.As(err, new(*ownError)) {
		return nil
	}
	return err
}
