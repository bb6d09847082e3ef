// Package environment is what a world that agents act in is: a pure function, state in, state out.
//
//	begin, err := world.Reset(ctx, problem)
//	next, err := world.Step(ctx, begin.State, map[string]string{"north": "up", "south": "wait"})
//
// The state is JSON that only the environment reads. So a tree of episodes may branch anywhere, an episode can be replayed, and nothing has
// to be kept between calls. Agents get to know the observations alone. An environment that cannot be such a function is [Stateful].
//
// [Bounds] are the rules that outcomes are held to, whoever wrote the environment; a broken rule is an error that says which. Games are written
// in Go as an [Environment], or in any language: as a Python file, a program or a server.
package environment

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"parley/task"
)

// An Environment is a world. Its methods are pure functions of their arguments, called from several goroutines.
type Environment interface {
	// Reset returns where the episode of a problem begins; its truth may decide that. There is no reward yet.
	Reset(ctx context.Context, p task.Problem) (Outcome, error)
	// Step returns what follows a state in which some agents, by name, said something.
	Step(ctx context.Context, state json.RawMessage, actions map[string]string) (Outcome, error)
}

// A Stateful environment cannot be a pure function. It keeps what has happened outside of its states. A state only names an episode that is
// under way, so it has one successor, and an episode cannot branch.
type Stateful interface {
	Environment
	// End gives up the episode of a state, which may be over already. If ctx has ended, a server gets only a moment to be told.
	End(ctx context.Context, state json.RawMessage)
}

// An Outcome is where a step leads.
type Outcome struct {
	State json.RawMessage `json:"state"`
	// Observations are what agents get to know, by name. An agent without an entry keeps its last observation; All is the observation of
	// all agents without an entry.
	Observations map[string]string  `json:"observations,omitempty"`
	All          string             `json:"all,omitempty"`
	Team         float64            `json:"team"`             // the reward of the team
	Agents       map[string]float64 `json:"agents,omitempty"` // rewards of single agents, beside the team's
	Done         bool               `json:"done,omitempty"`   // the episode is over
	Info         json.RawMessage    `json:"info,omitempty"`   // for people who read episodes
}

// Illegal is the info of an outcome in which an agent made no move that is one.
func Illegal(agent string) json.RawMessage {
	info, _ := json.Marshal(map[string][]string{"illegal": {agent}}) // texts
	return info
}

// IllegalIn are the agents of which an info says so.
func IllegalIn(info json.RawMessage) []string {
	var said struct{ Illegal []string }
	_ = json.Unmarshal(info, &said) // an info may be anything
	return said.Illegal
}

// Bounds are what the outcomes of an environment are held to.
type Bounds struct {
	Agents      []string // all names
	Least, Most float64  // of each reward, and of the sum of the team's rewards over an episode
}

// mostState is the most bytes of a state, and mostText of an observation.
const (
	mostState = 1 << 20
	mostText  = 1 << 18
)

// Check returns an error that says which rule an outcome breaks; nil: none. sum is the team's reward before it.
func (b Bounds) Check(o Outcome, sum float64) error {
	known := map[string]bool{}
	for _, name := range b.Agents {
		known[name] = true
	}
	switch {
	case len(o.State) > mostState:
		return fmt.Errorf("the state has %d bytes, more than %d", len(o.State), mostState)
	case !json.Valid(o.State):
		return fmt.Errorf("the state is no JSON")
	case len(o.Info) > mostState:
		return fmt.Errorf("info has %d bytes, more than %d", len(o.Info), mostState)
	}
	for name, text := range o.Observations {
		if !known[name] {
			return fmt.Errorf("there is an observation for %q, who is no agent", name)
		}
		if len(text) > mostText {
			return fmt.Errorf("the observation of %s has %d bytes, more than %d", name, len(text), mostText)
		}
	}
	if len(o.All) > mostText {
		return fmt.Errorf("the observation has %d bytes, more than %d", len(o.All), mostText)
	}
	if err := b.reward("the team's reward", o.Team); err != nil {
		return err
	}
	if err := b.reward("the sum of the team's rewards", sum+o.Team); err != nil {
		return err
	}
	for name, r := range o.Agents {
		if !known[name] {
			return fmt.Errorf("there is a reward for %q, who is no agent", name)
		}
		if err := b.reward("the reward of "+name, r); err != nil {
			return err
		}
	}
	return nil
}

// reward checks one reward.
func (b Bounds) reward(what string, x float64) error {
	slack := 1e-9 * (b.Most - b.Least) // rounding
	if math.IsNaN(x) || x < b.Least-slack || x > b.Most+slack {
		return fmt.Errorf("%s is %v, expected %g to %g: change what it pays, or task.min_reward and task.max_reward", what, x, b.Least, b.Most)
	}
	return nil
}

// Complete says whether every agent has something to observe at the beginning.
func (b Bounds) Complete(o Outcome) error {
	for _, name := range b.Agents {
		if _, has := o.Observations[name]; !has && o.All == "" {
			return fmt.Errorf("reset gives no observation for %s", name)
		}
	}
	return nil
}

// Pays says that somebody gets a reward.
func (o Outcome) Pays() bool {
	for _, r := range o.Agents {
		if r != 0 {
			return true
		}
	}
	return o.Team != 0
}

// Observed returns what an agent observes after an outcome; ok is false where that is what it observed before.
func (o Outcome) Observed(name string) (text string, ok bool) {
	if text, ok = o.Observations[name]; ok {
		return text, true
	}
	return o.All, o.All != ""
}

// A Table is where agents play so that a game can say how well they do. A game whose environment has a method Measure(ctx, Table) is measured
// before training, every so many updates, and at the end; what it returns are numbers by name.
type Table interface {
	// Games is how many games a number is to be made of.
	Games() int
	// Play plays matches to their ends and returns what every agent earned, by name.
	Play(ctx context.Context, matches []Match) ([]map[string]float64, error)
	// Logprobs returns, for every situation, the logarithm of the probability of each of its texts as a whole answer of the agent that is
	// asked there.
	Logprobs(ctx context.Context, at []Situation) ([][]float64, error)
}

// A Match is an episode in which others sit in for some agents.
type Match struct {
	Problem task.Problem
	Others  map[string]Player // by the agent's name; an agent who is not in it plays itself
}

// A Player says what it does in a state of the environment. draw returns a random number from 0 below n.
type Player func(state json.RawMessage, draw func(n int) int) (string, error)

// A Situation is where an agent is asked next once agents, by name, have said these texts in the episode of a problem.
type Situation struct {
	Problem task.Problem
	Agent   string
	Said    map[string][]string
	Texts   []string
}
