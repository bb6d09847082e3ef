// Package read plans for several robots with a planner that is frozen and a critic that is learned (ReAd, arXiv 2405.14314): what the planner
// proposes is scored before it is done, and the planner is asked again while the score is too low. Only the critic is trained.
//
//	data, cost, err := team.Gather(ctx, problems, 400)        phase 1: the planner plays, nothing is scored
//	critic := read.NewTable(data, gamma)                      or NewNetwork, which generalizes
//	result, err := team.Measure(ctx, how, critic, problems)   phase 2: success, steps and queries, of this and of the baselines
//
// How a step is planned ([How]):
//
//	open      one joint plan is asked for and done
//	vote      the most frequent of so many joint plans, the first among equals
//	S         robot after robot; robot i is shown a^{1:i−1} and is scored by A^i
//	J         one plan for all robots, scored by A
//
// The critic knows Q^{1:u}(s, a^{1:u}) of every prefix of robots, the empty one included: Q^{1:0} = V(s) = Q(s,w)/γ, where w is the joint action in
// which all wait. Advantages are those of prefix.go, the loop is that of refine.go.
//
// A planner is a [speaker.Speaker]: a script, a program, a server. What it is asked is [Prompt]. Its queries are counted, and so are those that
// gathered the data of the critic: a comparison of planners that leaves them out is none.
//
//	critic.go    data, and the critic as a table of means
//	network.go   the critic as a small network
//	prompt.go    what a planner is asked
//	play.go      episodes under one of the ways to plan
//	prefix.go    the advantages of the agents of a joint action, one after the other
//	refine.go    the planner is asked until its score passes a threshold
//	section.go   what recipes may say
package read

import (
	"math"
	"strings"
)

// A Sample is one step of an episode: what the robots did in a state, and what came of it.
type Sample struct {
	State   string   `json:"state"`
	Actions []string `json:"actions"` // of every robot, in their order
	Return  float64  `json:"return"`  // Monte-Carlo, discounted, from this step on
}

// A Critic knows what prefixes of actions are worth.
type Critic interface {
	// Value is Q^{1:u} of the first u robots doing this, the others being who they were in the data; of no action it is V. known is false
	// where nothing was seen of it.
	Value(state string, actions []string) (q float64, known bool)
}

// Returns are the discounted sums of rewards from every step on: G_t = r_t + γ·G_{t+1}.
func Returns(rewards []float64, gamma float64) []float64 {
	out := make([]float64, len(rewards))
	next := 0.0
	for t := len(rewards) - 1; t >= 0; t-- {
		next = rewards[t] + gamma*next
		out[t] = next
	}
	return out
}

// A Table is a critic of small worlds: the mean return of every prefix that was seen. It is what least squares on every prefix with the missing
// robots masked comes to where nothing is shared between states.
type Table struct {
	Means  map[string]float64 `json:"means"`
	Counts map[string]int     `json:"counts"`
}

// NewTable fits a table.
func NewTable(data []Sample) *Table {
	t := &Table{Means: map[string]float64{}, Counts: map[string]int{}}
	for _, s := range data {
		for u := range len(s.Actions) + 1 {
			k := key(s.State, s.Actions[:u])
			t.Counts[k]++
			t.Means[k] += (s.Return - t.Means[k]) / float64(t.Counts[k])
		}
	}
	return t
}

// key names a prefix of actions in a state.
func key(state string, actions []string) string { return state + "\n" + strings.Join(actions, "\n") }

// Value implements [Critic].
func (t *Table) Value(state string, actions []string) (float64, bool) {
	k := key(state, actions)
	return t.Means[k], t.Counts[k] > 0
}

// unseen is what an action is worth of which the data know nothing: less than any return of a world that pays nothing below 0, so that it is
// never better than what is known.
const unseen = -1

// worth is the value of a prefix with [unseen] in its place where nothing is known. A state of which nothing is known is worth 0.
func worth(c Critic, state string, actions []string) float64 {
	q, known := c.Value(state, actions)
	switch {
	case known:
		return q
	case len(actions) == 0:
		return 0
	}
	return unseen
}

// advantage is A^i of the last of these actions given the others: Q^{1:i} − Q^{1:i−1}, Q^{1:0} = V.
func advantage(c Critic, state string, actions []string) float64 {
	return gain(worth(c, state, actions), worth(c, state, actions[:len(actions)-1]))
}

// joint is A of all of them together, Q − V, the sum of what each gives.
func joint(c Critic, state string, actions []string) float64 {
	return gain(worth(c, state, actions), worth(c, state, nil))
}

// gain is a difference of values. An action that cannot be scores −∞, also after another one that cannot be.
func gain(q, before float64) float64 {
	if math.IsInf(q, -1) {
		return q
	}
	return q - before
}
