package world

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"parley/internal/service"
	"parley/task/environment"
)

// fields are what an answer may say; id is that of a program's line.
var fields = []string{"state", "observations", "reward", "rewards", "done", "info"}

// ownError is one that the environment tells itself.
type ownError struct{ text string }

func (e *ownError) Error() string { return e.text }

// none is the state of an answer that has none.
var none = json.RawMessage("null")

// parse reads an answer. What is wrong with it is named by its key. A stateful environment keeps its state.
func parse(body []byte, agents []string, stateful bool) (o environment.Outcome, err error) {
	var all map[string]json.RawMessage
	if json.Unmarshal(body, &all) != nil || all == nil {
		return o, fmt.Errorf(`%.80q is no answer: write {"state": …, "observations": …}`, body)
	}
	var own string
	if json.Unmarshal(all["error"], &own) == nil && own != "" {
		return o, &ownError{service.Own(own).Error()}
	}
	for key := range all {
		if key != "id" && !slices.Contains(fields, key) {
			return o, fmt.Errorf("it answers with the key %.80q, expected %s", key, strings.Join(fields, ", "))
		}
	}
	switch o.State = all["state"]; {
	case stateful && !absent(o.State):
		return o, fmt.Errorf(`it answers with a "state", which a stateful environment keeps to itself`)
	case stateful:
		o.State = none
	case absent(o.State):
		return o, fmt.Errorf(`%.80s has no "state"`, body)
	}
	if o.Info = all["info"]; absent(o.Info) {
		o.Info = nil
	}
	if done := all["done"]; !absent(done) && json.Unmarshal(done, &o.Done) != nil {
		return o, fmt.Errorf(`"done" is %.80s, expected true or false`, done)
	}
	if err := observe(all["observations"], &o); err != nil {
		return o, err
	}
	return o, pay(all["reward"], all["rewards"], agents, &o)
}

// observe reads observations: a text for everybody, or one for each name.
func observe(body json.RawMessage, o *environment.Outcome) error {
	if absent(body) || json.Unmarshal(body, &o.All) == nil {
		return nil
	}
	var named map[string]*string
	if json.Unmarshal(body, &named) != nil {
		return fmt.Errorf(`"observations" is %.80s, expected a text, or a text for each agent: write {"north": "You see a wall."}`, body)
	}
	o.Observations = map[string]string{}
	for name, text := range named {
		if text == nil {
			return fmt.Errorf("the observation of %.80q is null, expected a text: leave it out where it stays as it was", name)
		}
		o.Observations[name] = *text
	}
	return nil
}

// pay reads rewards: the team's as a number, and those of agents by name or in their order.
func pay(reward, rewards json.RawMessage, agents []string, o *environment.Outcome) (err error) {
	if !absent(reward) {
		if o.Team, err = number("reward", reward); err != nil {
			return err
		}
	}
	var named map[string]json.RawMessage
	var list []json.RawMessage
	switch {
	case absent(rewards):
		return nil
	case json.Unmarshal(rewards, &named) == nil:
	case json.Unmarshal(rewards, &list) == nil:
		if len(list) != len(agents) {
			return fmt.Errorf(`"rewards" has %d numbers, expected one for each of %d agents`, len(list), len(agents))
		}
		named = map[string]json.RawMessage{}
		for i, name := range agents {
			named[name] = list[i]
		}
	case !absent(reward):
		return fmt.Errorf(`"reward" is the team's, and "rewards" is %.80s, expected a number for each agent`, rewards)
	default:
		o.Team, err = number("rewards", rewards)
		return err
	}
	o.Agents = map[string]float64{}
	for name, value := range named {
		if o.Agents[name], err = number(fmt.Sprintf("the reward of %.80q", name), value); err != nil {
			return err
		}
	}
	return nil
}

func number(what string, body json.RawMessage) (x float64, err error) {
	if string(body) == "null" || json.Unmarshal(body, &x) != nil || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%s is %.80s, expected a finite number", what, body)
	}
	return x, nil
}

func absent(body json.RawMessage) bool { return len(body) == 0 || string(body) == "null" }
