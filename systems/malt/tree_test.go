package malt

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/rl/rollout"
)

// specified are the leaves of the specification's tree: groups of refinements, by draft and verification.
var specified = [][]string{{"110", "100", "111"}, {"000", "001", "011"}, {"111", "000", "101"}}

// episodeOf records drafts of verifications of leaves, as a chain of three agents leaves them. All texts differ.
func episodeOf(drafts [][]string) *rollout.Episode {
	e := &rollout.Episode{}
	add := func(agent, parent, action int, texts ...string) int {
		n := &rollout.Node{Turn: agent, Parent: parent, ParentAction: action, Agents: []rollout.AgentTurn{{Agent: agent}}}
		for i, text := range texts {
			n.Agents[0].Completions = append(n.Agents[0].Completions, rollout.Completion{Text: text})
			n.Joint = append(n.Joint, []int{i})
		}
		e.Nodes = append(e.Nodes, n)
		return len(e.Nodes) - 1
	}
	named := func(prefix string, n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprint(prefix, i))
		}
		return out
	}
	root := add(0, -1, 0, named("g", len(drafts))...)
	for g, verifications := range drafts {
		below := add(1, root, g, named(fmt.Sprint("v", g), len(verifications))...)
		for v, leaves := range verifications {
			n := e.Nodes[add(2, below, v, named(fmt.Sprintf("r%d%d", g, v), len(leaves))...)]
			for _, leaf := range leaves {
				n.Rewards = append(n.Rewards, float64(leaf-'0'))
			}
		}
	}
	for _, n := range e.Nodes {
		if n.Turn < 2 {
			n.Rewards = make([]float64, len(n.Joint))
		}
	}
	return e
}

func opened(t *testing.T, e *rollout.Episode) *tree {
	t.Helper()
	out, err := treeOf(e, 1)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestTreeOfTheSpecification: rows and pairs of an episode by role, and which texts are in them.
func TestTreeOfTheSpecification(t *testing.T) {
	tree := opened(t, episodeOf(specified))
	rows, texts := map[int]int{}, map[int][]string{}
	for _, a := range tree.positive() {
		rows[a.Turn]++
		texts[a.Turn] = append(texts[a.Turn], a.Completion.Text)
	}
	pairs := map[int]int{}
	for _, p := range tree.pairs() {
		pairs[p.chosen.Turn]++
		parent := func(text string) string { return text[:len(text)-1] }
		if parent(p.chosen.Completion.Text) != parent(p.rejected.Completion.Text) || p.chosen.AgentTurn != p.rejected.AgentTurn {
			t.Errorf("%s and %s have no parent in common", p.chosen.Completion.Text, p.rejected.Completion.Text)
		}
	}
	if fmt.Sprint(rows) != "map[0:2 1:5 2:14]" || fmt.Sprint(pairs) != "map[0:2 1:6 2:10]" {
		t.Errorf("rows %v, pairs %v", rows, pairs)
	}
	if !slices.Equal(texts[0], []string{"g0", "g2"}) || !slices.Equal(texts[1], []string{"v00", "v02", "v12", "v20", "v22"}) {
		t.Errorf("positive are %v", texts)
	}
}

// TestTreeInAnotherOrder: children belong to the message that they follow, in whatever order nodes of a turn stand.
func TestTreeInAnotherOrder(t *testing.T) {
	plain, turned := episodeOf(specified), episodeOf(specified)
	order := make([]int, len(plain.Nodes)) // turn by turn, those of a turn from the last to the first
	for i := range order {
		order[i] = len(order) - 1 - i
	}
	slices.SortStableFunc(order, func(a, b int) int { return plain.Nodes[a].Turn - plain.Nodes[b].Turn })
	for to, from := range order {
		n := *plain.Nodes[from]
		if n.Parent >= 0 {
			n.Parent = slices.Index(order, n.Parent)
		}
		turned.Nodes[to] = &n
	}
	listed := func(e *rollout.Episode) (out []string) {
		for _, p := range opened(t, e).pairs() {
			out = append(out, p.chosen.Completion.Text+">"+p.rejected.Completion.Text)
		}
		slices.Sort(out)
		return out
	}
	if got, want := listed(turned), listed(plain); !slices.Equal(got, want) || len(got) != 18 {
		t.Errorf("pairs %v, want %v", got, want)
	}
}

// TestTreeWithoutScores: nothing is learned from below a message that could not be scored.
func TestTreeWithoutScores(t *testing.T) {
	e := episodeOf([][]string{{"111", "000"}, {"000", "000"}})
	for _, n := range e.Nodes {
		if n.Turn == 2 && strings.HasPrefix(n.Agents[0].Completions[0].Text, "r00") {
			n.Failed, n.Rewards = "the judge hangs", nil
		}
	}
	tree := opened(t, e)
	if rows, pairs := tree.positive(), tree.pairs(); len(rows) != 0 || len(pairs) != 0 {
		t.Errorf("%d rows and %d pairs are left", len(rows), len(pairs))
	}
}

// TestTreeOfSeveralAtOnce: where two agents speak at once, siblings are no alternatives of one message.
func TestTreeOfSeveralAtOnce(t *testing.T) {
	e := episodeOf(specified)
	e.Problem.ID, e.Nodes[0].Agents = "7", make([]rollout.AgentTurn, 2)
	if _, err := treeOf(e, 1); err == nil || !strings.Contains(err.Error(), "problem 7: turn 1 asks 2 agents at once") {
		t.Errorf("it says %v", err)
	}
}
