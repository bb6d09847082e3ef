package environment

import (
	"context"
	"encoding/json"

	"parley/task"
)

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

// A Situation is where the next agent is asked once these texts have been said in the episode of a problem.
type Situation struct {
	Problem task.Problem
	Said    []string
	Texts   []string
}
