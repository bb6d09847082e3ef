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
