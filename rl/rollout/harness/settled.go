package harness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley/rl/rollout"
)

// Settled is an episode with the calls of each of its samples in an order that nothing but they themselves says: by agent, prompt and answer. It is for
// credit that does not look at their order: sums over them are equal then, to the bit, however they came. What is assigned to the completions of one is
// assigned to those of the other.
func Settled(e *rollout.Episode) *rollout.Episode {
	out := *e
	out.Nodes = make([]*rollout.Node, len(e.Nodes))
	for i, n := range e.Nodes {
		settled := *n
		out.Nodes[i] = &settled
	}
	slices.SortStableFunc(out.Nodes, func(a, b *rollout.Node) int {
		return cmp.Or(cmp.Compare(a.Sample, b.Sample), compareCalls(&a.Agents[0], &b.Agents[0]))
	})
	for i, n := range out.Nodes {
		n.Turn, n.Parent, n.ParentAction = 0, -1, -1
		if i > 0 && out.Nodes[i-1].Sample == n.Sample {
			n.Turn, n.Parent, n.ParentAction = out.Nodes[i-1].Turn+1, i-1, 0
		}
	}
	return &out
}

// compareCalls orders what single agents were asked and said.
func compareCalls(a, b *rollout.AgentTurn) int {
	x, y := &a.Completions[0], &b.Completions[0]
	return cmp.Or(cmp.Compare(a.Agent, b.Agent), slices.Compare(a.Prompt, b.Prompt), slices.Compare(x.Tokens, y.Tokens),
		strings.Compare(fmt.Sprint(a.Messages), fmt.Sprint(b.Messages)), strings.Compare(x.Text, y.Text))
}
