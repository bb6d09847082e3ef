package read

// This file credits the agents of a joint action one after the other, against everybody waiting (ReAd, arXiv 2405.14314, §4).
//
// w is the joint action in which all wait: the state stays and the reward is 0, so Q(s,w) = γ·V(s), and a critic of actions is enough:
//
//	A(s,a)     = Q(s,a) − Q(s,w)/γ
//	Q^{1:u}    = E over the actions of the agents after u of Q(s,a)       [Policies.Prefix]
//	A^i        = Q^{1:i} − Q^{1:i−1},   Q^{1:0} = Q(s,w)/γ                [AdvantagesOf]
//	Σ_i A^i    = A
//
// A critic is fitted to every prefix of agents, with Monte-Carlo returns of what a planner did; the actions of those who are missing are masked. Where
// it is exact it is the mean over their policies, which [Policies] compute for small numbers of actions.
//
// A planner that keeps only actions with A^i > ε ≥ 0 improves on the one that made the data: π*(a^i|s, a^{1:i−1}) ∝ μ^i·exp(A^i/β) with β → 0. How it
// is asked until it does is in refine.go.

import (
	"fmt"
	"slices"
)

// Advantages of a joint action.
type Advantages struct {
	V     float64   // of the state
	Each  []float64 // of every agent, given the actions of those before it
	Joint float64   // of all together, the sum of Each
}

// AdvantagesOf returns the advantages of a joint action whose prefixes, from the first agent alone to all, have these values; wait is that of everybody waiting.
func AdvantagesOf(prefixes []float64, wait, gamma float64) (Advantages, error) {
	if !(gamma > 0) || len(prefixes) == 0 {
		return Advantages{}, fmt.Errorf("advantages of %d prefixes at discount %v: one agent at least, and a discount above 0", len(prefixes), gamma)
	}
	a := Advantages{V: wait / gamma}
	before := a.V
	for _, q := range prefixes {
		a.Each = append(a.Each, q-before)
		before = q
	}
	a.Joint = before - a.V
	return a, nil
}

// Policies are those of the agents in one state, with the value of every joint action. The first agent's action varies slowest.
type Policies struct {
	Sizes  []int       // actions of each agent
	Q      []float64   // of every joint action
	Policy [][]float64 // of each agent, the probability of its action given those before it, its own action varying fastest
}

// check reports tables whose sizes do not fit.
func (t Policies) check(action []int) error {
	if len(action) != len(t.Sizes) || len(t.Policy) != len(t.Sizes) {
		return fmt.Errorf("table of %d agents: %d actions, %d policies", len(t.Sizes), len(action), len(t.Policy))
	}
	rows := 1
	for u, n := range t.Sizes {
		if rows *= n; len(t.Policy[u]) != rows || action[u] < 0 || action[u] >= n {
			return fmt.Errorf("table: agent %d has %d actions, %d probabilities for %d, and takes action %d", u+1, n, len(t.Policy[u]), rows, action[u])
		}
	}
	if len(t.Q) != rows {
		return fmt.Errorf("table: %d values for %d joint actions", len(t.Q), rows)
	}
	return nil
}

// At is the place of a prefix of actions among all of its length.
func (t Policies) at(actions []int) int {
	at := 0
	for u, a := range actions {
		at = at*t.Sizes[u] + a
	}
	return at
}

// Value is the value of a joint action.
func (t Policies) Value(action []int) (float64, error) {
	if err := t.check(action); err != nil {
		return 0, err
	}
	return t.Q[t.at(action)], nil
}

// Prefix returns what every prefix of a joint action is worth: the mean of Q over what the agents after it do.
func (t Policies) Prefix(action []int) ([]float64, error) {
	if err := t.check(action); err != nil {
		return nil, err
	}
	out := make([]float64, len(action))
	for u := range action {
		out[u] = t.mean(slices.Clone(action[:u+1]))
	}
	return out, nil
}

// mean is the expectation of Q given the actions of the first agents.
func (t Policies) mean(actions []int) float64 {
	u := len(actions)
	if u == len(t.Sizes) {
		return t.Q[t.at(actions)]
	}
	sum := 0.0
	for a := range t.Sizes[u] {
		next := append(actions, a)
		sum += t.Policy[u][t.at(next)] * t.mean(next)
	}
	return sum
}
