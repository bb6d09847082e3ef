package group

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/learn/learntest"
	"parley/rl/rollout"
)

// spoken is a node at which some agents each gave two completions.
func spoken(turn, parent, action int, joint credit.JointMode, rewards []float64, agents ...int) *rollout.Node {
	n := &rollout.Node{Turn: turn, Parent: parent, ParentAction: action, Rewards: rewards, Joint: credit.JointActions(joint, len(agents), 2)}
	for _, a := range agents {
		n.Agents = append(n.Agents, rollout.AgentTurn{Agent: a, Policy: "policy", Completions: make([]rollout.Completion, 2)})
	}
	return n
}

// TestCreditOfSilentAgents: a node that waits for others has the reward 0, and what it earns comes from below (MAGRPO §2.1, steps 7 and 8).
// By hand, with discount 1/2.
func TestCreditOfSilentAgents(t *testing.T) {
	type answer struct{ reward, advantage float64 }
	for _, c := range []struct {
		name  string
		joint string
		nodes []*rollout.Node
		want  [][]answer // of every node and agent, its two answers
	}{
		{"pipeline", "aligned", []*rollout.Node{
			spoken(0, -1, -1, credit.Aligned, []float64{0, 0}, 0),
			spoken(1, 0, 0, credit.Aligned, []float64{4, 2}, 1),
			spoken(1, 0, 1, credit.Aligned, []float64{1, 1}, 1),
		}, [][]answer{{{1.5, 0.5}, {0.5, -0.5}}, {{4, 1}, {2, -1}}, {{1, 0}, {1, 0}}}},
		// Two propose in four combinations, a third decides on each: 8 and 0, 4 and 4, 2 and 2, 0 and 0.
		{"leader", "cross", []*rollout.Node{
			spoken(0, -1, -1, credit.Cross, []float64{0, 0, 0, 0}, 1, 2),
			spoken(1, 0, 0, credit.Cross, []float64{8, 0}, 0),
			spoken(1, 0, 1, credit.Cross, []float64{4, 4}, 0),
			spoken(1, 0, 2, credit.Cross, []float64{2, 2}, 0),
			spoken(1, 0, 3, credit.Cross, []float64{0, 0}, 0),
		}, [][]answer{{{2, 0.75}, {0.5, -0.75}}, {{1.5, 0.25}, {1, -0.25}}, {{8, 4}, {0, -4}}, {{4, 0}, {4, 0}}, {{2, 0}, {2, 0}}, {{0, 0}, {0, 0}}}},
	} {
		settings := learn.Group{Size: 2, Joint: c.joint, CrossCredit: "mean", Discount: 0.5, Rollout: "tree"}
		l, err := newLearner(learn.Config{Settings: []any{settings}}, credit.ModeMean)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.creditEpisode(&rollout.Episode{Nodes: c.nodes}, nil, new(learn.Stats)); err != nil {
			t.Fatal(err)
		}
		var got [][]answer
		for _, n := range c.nodes {
			for _, a := range n.Agents {
				x, y := a.Completions[0], a.Completions[1]
				got = append(got, []answer{{x.Reward, x.Advantage}, {y.Reward, y.Advantage}})
			}
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: credited %v, want %v", c.name, got, c.want)
		}
	}
}

// TestRounds: a team learns turn by turn (MAGRPO §2.4), all policies of a turn together. The first turn is alone and first: sampling has
// kept what training would compute.
func TestRounds(t *testing.T) {
	settings := learn.Group{Size: 2, Joint: "aligned", CrossCredit: "mean", Discount: 0.9, Rollout: "tree", Reduction: "seq_sum", LogprobsAt: "sampled", Padding: "exact"}
	for sharing, want := range map[string][]string{
		"per-agent": {"train policy-agent1 policy-agent2", "step policy-agent1", "step policy-agent2", "train policy-agent1 policy-agent2", "step policy-agent1", "step policy-agent2"},
		"per-turn":  {"train policy-turn1", "step policy-turn1", "train policy-turn2", "step policy-turn2"},
		"per-agent-turn": {
			"train policy-turn1-agent1 policy-turn1-agent2", "step policy-turn1-agent1", "step policy-turn1-agent2",
			"train policy-turn2-agent1 policy-turn2-agent2", "step policy-turn2-agent1", "step policy-turn2-agent2",
		},
	} {
		m := learntest.NewTeam(t, learntest.Debate(t, 2, 2), learn.Policies{Sharing: sharing, FirstTrainedTurn: 1}, learn.CriticsNone)
		m.Group = settings.Size
		l, err := MAGRPO().New(m.Config([]any{settings}, 1, 3))
		if err != nil {
			t.Fatal(err)
		}
		episodes := m.Play(t, 0, 3)
		learntest.Update(t, l, 0, episodes)
		if got := m.Engine.Rounds(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: learned in the order %q, want %q", sharing, got, want)
		}
	}
}

// TestCounterfactualCredit: what a completion adds to its joint actions is its advantage over the group's mean, so that an algorithm without a
// baseline learns from it as MAGRPO does from the mean (MAGRPO §16).
func TestCounterfactualCredit(t *testing.T) {
	advantages := func(a learn.Algorithm, cross string) (out []float64) {
		settings := learn.Group{Size: 3, Joint: "cross", CrossCredit: cross, Discount: 0.9, Rollout: "tree", Reduction: "seq_sum", LogprobsAt: "sampled", Padding: "exact"}
		m := learntest.NewTeam(t, learntest.Debate(t, 2, 2), learn.Policies{Sharing: "per-agent", FirstTrainedTurn: 1}, learn.CriticsNone)
		m.Group, m.Joint = settings.Size, credit.Cross
		l, err := a.New(m.Config([]any{settings}, 1, 2))
		if err != nil {
			t.Fatal(err)
		}
		episodes := m.Play(t, 0, 2)
		learntest.Update(t, l, 0, episodes)
		for _, answer := range learn.AnswersIn(episodes) {
			out = append(out, answer.Completion.Advantage)
		}
		return out
	}
	got, want := advantages(MAREINFORCE(), "counterfactual"), advantages(MAGRPO(), "mean")
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-12 {
			t.Fatalf("answer %d: advantage %v, want %v", i, got[i], want[i])
		}
	}
	if slices.Min(want) == 0 && slices.Max(want) == 0 {
		t.Error("all advantages are 0")
	}
}
