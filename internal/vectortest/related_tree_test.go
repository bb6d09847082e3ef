package vectortest

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"parley/team/teamtest"

	"parley/rl/credit"
	"parley/team/workflow"
)

// siblingsCase knows three roles, of which the leaves are the last.
func siblingsCase(t *testing.T, c Case) {
	v := decode[struct {
		N      int
		Leaves [][][]int
		Texts  *struct {
			G []string
			V [][]string
			R [][][]string
		}
		Values struct{ G, V json.RawMessage }
		Sft    struct{ G, V, R json.RawMessage }
		Pairs  struct{ G, V, R json.RawMessage }
	}](t, c)
	text := func(path ...int) string {
		switch {
		case v.Texts == nil:
			return fmt.Sprint(path)
		case len(path) == 1:
			return v.Texts.G[path[0]]
		case len(path) == 2:
			return v.Texts.V[path[0]][path[1]]
		}
		return v.Texts.R[path[0]][path[1]][path[2]]
	}
	var tree []credit.SiblingNode
	for g, critiques := range v.Leaves {
		draft := credit.SiblingNode{Text: text(g)}
		for k, refinements := range critiques {
			critique := credit.SiblingNode{Text: text(g, k)}
			for r, right := range refinements {
				critique.Children = append(critique.Children, credit.SiblingNode{Text: text(g, k, r), Right: right == 1})
			}
			draft.Children = append(draft.Children, critique)
		}
		tree = append(tree, draft)
	}
	drafts, critiques := []any{}, make([][]any, len(tree))
	rows, pairs := [3][]any{{}, {}, {}}, [3][]any{{}, {}, {}}
	for _, verdict := range credit.JudgeSiblings(tree) {
		depth := len(verdict.Path) - 1
		switch depth {
		case 0:
			drafts = append(drafts, verdict.Value())
		case 1:
			critiques[verdict.Path[0]] = append(critiques[verdict.Path[0]], verdict.Value())
		}
		if verdict.Positive() && depth == 0 {
			rows[0] = append(rows[0], verdict.Path[0])
		} else if verdict.Positive() {
			rows[depth] = append(rows[depth], verdict.Path)
		}
	}
	for _, p := range credit.SiblingPairs(tree) {
		pairs[len(p.Parent)] = append(pairs[len(p.Parent)], append(slices.Clone(p.Parent), p.Chosen, p.Rejected))
	}
	same(t, c, "values of drafts", drafts, v.Values.G)
	same(t, c, "values of critiques", critiques, v.Values.V)
	for i, role := range []struct{ rows, pairs json.RawMessage }{{v.Sft.G, v.Pairs.G}, {v.Sft.V, v.Pairs.V}, {v.Sft.R, v.Pairs.R}} {
		same(t, c, fmt.Sprint("rows of role ", i), rows[i], role.rows)
		same(t, c, fmt.Sprint("pairs of role ", i), pairs[i], role.pairs)
	}
}

func chainSightsCase(t *testing.T, c Case) {
	v := decode[struct {
		Passes     int
		Skip       []string
		Calls      json.RawMessage
		AnswerFrom string `json:"answer_from"`
	}](t, c)
	var roles []string
	for _, role := range []string{"g", "v", "r"} {
		if !slices.Contains(v.Skip, role) {
			roles = append(roles, role)
		}
	}
	spec := teamtest.Chain(roles, v.Passes)
	calls := []any{}
	for _, s := range sights(t, spec) {
		pass := (s.Turn-1)/len(roles) + 1
		calls = append(calls, map[string]any{"pass": pass, "role": s.Agent, "sees": labelled(s, "q", func(said workflow.Source) string {
			if (said.Turn-1)/len(roles)+1 != pass {
				return fmt.Sprintf("%s of another pass, turn %d", said.Agent, said.Turn)
			}
			return said.Agent
		})})
	}
	same(t, c, "calls", calls, v.Calls)
	if got := spec.Answer.Names[0]; got != v.AnswerFrom {
		t.Errorf("the answer is that of %s, want %s", got, v.AnswerFrom)
	}
}

func starCase(t *testing.T, c Case) {
	v := decode[struct {
		Peers, Rounds int
		Mode          string
		Calls         json.RawMessage
		Generations   int
		PeerCalls     int `json:"peer_calls"`
	}](t, c)
	spec := map[string]workflow.Spec{"team": teamtest.Star(v.Peers, v.Rounds), "train": teamtest.Cached(v.Peers), "alone": teamtest.Cached(0)}[v.Mode]
	round := func(turn int) int { return (turn - 1) / 2 } // peers and the leader make two turns
	calls, peers := []any{}, 0
	for _, s := range sights(t, spec) {
		if s.Agent != teamtest.Leader {
			peers++
		}
		calls = append(calls, map[string]any{"round": round(s.Turn), "agent": s.Agent, "sees": labelled(s, "x", func(said workflow.Source) string {
			return fmt.Sprintf("%s@%d", said.Agent, round(said.Turn))
		})})
	}
	same(t, c, "calls", calls, v.Calls)
	if len(calls) != v.Generations || peers != v.PeerCalls {
		t.Errorf("%d generations, %d of peers: want %d and %d", len(calls), peers, v.Generations, v.PeerCalls)
	}
}

func consultSightsCase(t *testing.T, c Case) {
	v := decode[struct {
		Turns  int
		Critic bool
		Calls  json.RawMessage
	}](t, c)
	each := 2 // asks a turn of the dialogue
	if v.Critic {
		each = 3
	}
	turn := func(asked int) int { return (asked-1)/each + 1 }
	calls := []any{}
	for _, s := range sights(t, teamtest.Consult(v.Turns, v.Critic)) {
		calls = append(calls, map[string]any{"role": s.Agent, "turn": turn(s.Turn), "sees": labelled(s, "problem", func(said workflow.Source) string {
			return fmt.Sprintf("%s@%d", said.Agent, turn(said.Turn))
		})})
	}
	same(t, c, "calls", calls, v.Calls)
}
