package malt

import (
	"fmt"

	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/rollout"
)

// A tree is an episode as siblings see it.
type tree struct {
	episode *rollout.Episode
	roots   []credit.SiblingNode
	first   int     // its first node
	child   [][]int // [node][completion] the node that goes on from there; -1: a leaf
}

// treeOf reads an episode, whose messages are right at a leaf from a reward on. Of one that failed nothing below counts.
func treeOf(e *rollout.Episode, right float64) (*tree, error) {
	t := &tree{episode: e, child: make([][]int, len(e.Nodes)), first: -1}
	for i, n := range e.Nodes {
		if len(n.Agents) != 1 {
			return nil, fmt.Errorf("problem %s: turn %d asks %d agents at once, expected one: siblings are alternatives of one message", e.Problem.ID, n.Turn+1, len(n.Agents))
		}
		t.child[i] = make([]int, len(n.Agents[0].Completions))
		for j := range t.child[i] {
			t.child[i][j] = -1
		}
		if n.Parent < 0 {
			t.first = i
			continue
		}
		t.child[n.Parent][e.Nodes[n.Parent].Joint[n.ParentAction][0]] = i
	}
	if t.first >= 0 {
		t.roots = t.messages(t.first, right)
	}
	return t, nil
}

// messages are the completions of a node and all below them.
func (t *tree) messages(node int, right float64) []credit.SiblingNode {
	n := t.episode.Nodes[node]
	out := make([]credit.SiblingNode, len(n.Agents[0].Completions))
	for j := range out {
		out[j] = credit.SiblingNode{Text: n.Agents[0].Completions[j].Text, Unscored: n.Failed != ""}
		if below := t.child[node][j]; below >= 0 {
			out[j].Children = t.messages(below, right)
		}
	}
	if n.Failed == "" {
		for j, action := range n.Joint {
			out[action[0]].Right = n.Rewards[j] >= right
		}
	}
	return out
}

// node is where a message with this path was said: the completion is the last index.
func (t *tree) node(path []int) *rollout.Node {
	at := t.first
	for _, j := range path[:len(path)-1] {
		at = t.child[at][j]
	}
	return t.episode.Nodes[at]
}

// answer is the message with a path.
func (t *tree) answer(path []int) *learn.Answer {
	n := t.node(path)
	return &learn.Answer{Turn: n.Turn, AgentTurn: &n.Agents[0], Completion: &n.Agents[0].Completions[path[len(path)-1]]}
}

// positive are the messages that more than half of the leaves below approve of, those above first.
func (t *tree) positive() []*learn.Answer {
	var out []*learn.Answer
	for _, v := range credit.JudgeSiblings(t.roots) {
		if v.Positive() {
			out = append(out, t.answer(v.Path))
		}
	}
	return out
}

// A pair are two answers to one prompt, the first of which is better.
type pair struct{ chosen, rejected *learn.Answer }

// pairs are those of all siblings.
func (t *tree) pairs() []pair {
	var out []pair
	for _, p := range credit.SiblingPairs(t.roots) {
		path := func(j int) []int { return append(append([]int{}, p.Parent...), j) }
		out = append(out, pair{t.answer(path(p.Chosen)), t.answer(path(p.Rejected))})
	}
	return out
}
