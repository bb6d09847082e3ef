package rollout_test

import (
	"slices"
	"strings"
	"testing"

	"parley/internal/tie"
	"parley/rl/credit"
	"parley/rl/rollout"
	"parley/team"
	"parley/team/workflow"
)

// solos are racers who speak and act one after the other.
func solos(t *testing.T, lie string, s rollout.Settings) *rollout.Runner {
	t.Helper()
	r := racer(t, lie, s)
	p, err := workflow.New(workflow.Spec{
		World: true, Agents: []workflow.Agent{{Name: "a"}, {Name: "b"}},
		Steps: []workflow.Step{
			{Place: "s.0", Ask: []string{"a"}, Prompts: []string{"{{.Observation}}"}},
			{Place: "s.1", Act: []string{"a"}},
			{Place: "s.2", Ask: []string{"b"}, Prompts: []string{"{{.Observation}}"}},
			{Place: "s.3", Act: []string{"b"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Protocol = p
	return r
}

func decided(pick credit.ATGRPOPick) rollout.Settings {
	rule := &credit.ATGRPO{K: 4, Alpha: 1, Pick: pick, Spread: credit.Spread{Std: credit.StdNone, Divide: credit.DivideFloor}}
	return rollout.Settings{Group: 4, Joint: credit.Aligned, MaxTokens: 3, Decides: rule}
}

// TestOneCandidateIsExecuted: the environment answers to every candidate, and play goes on from the first of the best, the first, or a drawn one.
func TestOneCandidateIsExecuted(t *testing.T) {
	later := 0
	for _, pick := range []credit.ATGRPOPick{credit.Best, credit.First, credit.Draw} {
		for _, e := range play(t, solos(t, "", decided(pick)), 6) {
			if why := e.Failed(); why != "" || len(e.Nodes) != 2 {
				t.Fatalf("%d nodes, failed %q", len(e.Nodes), why)
			}
			first := e.Nodes[0]
			if len(first.Outcomes) != 4 || len(e.Nodes[1].Joint) != 4 || len(e.Nodes[1].Outcomes[3]) != 1 {
				t.Fatalf("outcomes %v and %v", first.Outcomes, e.Nodes[1].Outcomes)
			}
			var scores []float64
			for _, c := range first.Candidates() {
				scores = append(scores, c.Team+c.Local)
			}
			executed := e.Nodes[1].ParentAction
			later += executed
			if pick == credit.Best && executed != tie.Best(scores, 0) || pick == credit.First && executed != 0 {
				t.Errorf("pick %s: candidate %d of %v is executed", pick, executed, scores)
			}
		}
	}
	if later == 0 {
		t.Error("only first candidates were executed: the test tells nothing")
	}
}

// TestFailedCandidates: one that the environment fails at is not executed; when it fails at all, the episode has failed.
func TestFailedCandidates(t *testing.T) {
	some, all := 0, 0
	for _, e := range play(t, solos(t, "dies", decided(credit.Best)), 40) {
		n := e.Nodes[0]
		if !strings.Contains(e.Failed(), "it died") { // the second agent acts without a word of the first
			t.Errorf("failed: %q", e.Failed())
		}
		if len(e.Nodes) == 1 {
			all++
			continue
		}
		for j, c := range n.Candidates() {
			dies := n.Agents[0].Completions[j].Text < "m"
			if dies != c.Failed || dies != slices.Contains(n.Unscored, j) || dies && e.Nodes[1].ParentAction == j {
				t.Errorf("candidate %q: %+v, candidate %d is executed", n.Agents[0].Completions[j].Text, c, e.Nodes[1].ParentAction)
			}
			if dies {
				some++
			}
		}
	}
	if some == 0 || all == 0 {
		t.Errorf("%d candidates and %d whole decisions failed: the test tells nothing", some, all)
	}
}

// TestDecisionsOfOtherSizes: a step with a number of completions of its own, one of them included, is decided as the others are, and play goes on.
func TestDecisionsOfOtherSizes(t *testing.T) {
	r := solos(t, "", decided(credit.First))
	spec := workflow.Spec{
		World: true, Agents: []workflow.Agent{{Name: "a"}, {Name: "b"}},
		Steps: []workflow.Step{
			{Place: "s.0", Ask: []string{"a"}, Prompts: []string{"{{.Observation}}"}, Samples: 1},
			{Place: "s.1", Act: []string{"a"}},
			{Place: "s.2", Ask: []string{"b"}, Prompts: []string{"{{.Observation}}"}, Samples: 3},
			{Place: "s.3", Act: []string{"b"}},
		},
	}
	var err error
	if r.Protocol, err = workflow.New(spec); err != nil {
		t.Fatal(err)
	}
	for _, e := range play(t, r, 2) {
		var sizes []int
		for _, n := range e.Nodes {
			sizes = append(sizes, len(n.Joint))
		}
		if why := e.Failed(); why != "" || !slices.Equal(sizes, []int{1, 3}) {
			t.Errorf("nodes with %d candidates, failed %q", sizes, why)
		}
	}
}

// TestAlternativesByTurn: messages have as many alternatives as their turn says, each followed.
func TestAlternativesByTurn(t *testing.T) {
	for _, e := range play(t, solos(t, "", rollout.Settings{Group: 4, Joint: credit.Aligned, MaxTokens: 3, FanOut: []int{3, 2}}), 2) {
		if len(e.Nodes) != 4 || len(e.Nodes[0].Joint) != 3 || len(e.Nodes[3].Joint) != 2 || e.Nodes[3].ParentAction != 2 {
			t.Errorf("%d nodes with %d and %d alternatives", len(e.Nodes), len(e.Nodes[0].Joint), len(e.Nodes[len(e.Nodes)-1].Joint))
		}
	}
}

// TestAlternativesOfOneAgent: two agents who are asked at once have no alternatives of one message.
func TestAlternativesOfOneAgent(t *testing.T) {
	r := racer(t, "", decided(credit.Best))
	if _, err := r.Run(t.Context(), "train", 0, problems(1)); err == nil || !strings.Contains(err.Error(), "asks 2 agents at once in turn 1") {
		t.Errorf("error %v", err)
	}
}

// TestDecisionsInTurn: of two agents who are asked at once the first one's best candidate is executed before the second speaks, from the state that it
// made.
func TestDecisionsInTurn(t *testing.T) {
	r := racer(t, "", decided(credit.Best))
	r.Protocol = team.InTurn(r.Protocol)
	for _, e := range play(t, r, 6) {
		if why := e.Failed(); why != "" || len(e.Nodes) != 2 {
			t.Fatalf("%d nodes, failed %q", len(e.Nodes), why)
		}
		for agent, n := range e.Nodes {
			if len(n.Agents) != 1 || n.Agents[0].Agent != agent || len(n.Joint) != 4 || n.Turn != 0 {
				t.Fatalf("node %d asks %+v in turn %d", agent, n.Agents, n.Turn+1)
			}
		}
		var scores []float64
		for _, c := range e.Nodes[0].Candidates() {
			scores = append(scores, c.Team+c.Local)
		}
		if best := tie.Best(scores, 0); e.Nodes[1].ParentAction != best || best > 0 && scores[best] == scores[0] {
			t.Errorf("the second speaks after candidate %d of %v", e.Nodes[1].ParentAction, scores)
		}
	}
}
