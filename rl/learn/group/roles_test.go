package group

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"parley/engine"
	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/learn/group/words"
	"parley/rl/learn/learntest"
	"parley/rl/loss"
	"parley/rl/rollout"
	"parley/rl/tabular"
)

// TestOrderOfMass: two roles of a table want different actions; the first speaks six times an episode, the second once. Where they share the
// table and all messages count alike, the first has most of the gradient against the second, and is warned of in every seed. Where each agent's
// messages are a mean of their own, or each has a policy of its own, nobody is.
func TestOrderOfMass(t *testing.T) {
	for seed := range uint64(orderSeeds) {
		for name, c := range map[string]struct {
			sharing, per string
			warned       bool
		}{
			"shared, per messages":   {"shared", "messages", true},
			"shared, per agents":     {"shared", "agents", false},
			"isolated, per messages": {"per-agent", "messages", false},
			"isolated, per agents":   {"per-agent", "agents", false},
		} {
			steps := pulling(t, seed, c.sharing, c.per)
			warnings := slices.DeleteFunc(loss.UsualMass().Warnings(steps, true), func(w string) bool { return strings.HasPrefix(w, "spike") })
			warned := slices.Contains(warnings, "capture:agent1") || slices.Contains(warnings, "dominance:agent1")
			if warned != c.warned || !warned && len(warnings) > 0 {
				t.Errorf("%s, seed %d: %v after %d measured updates", name, seed, warnings, len(steps))
			}
			if shared := c.sharing == "shared"; shared != (len(steps) == 20) {
				t.Errorf("%s: %d measured updates", name, len(steps))
			}
		}
	}
}

// pulling trains the two roles for 20 updates and returns what was measured of the policy that they share.
func pulling(t *testing.T, seed uint64, sharing, per string) []loss.Mass {
	t.Helper()
	const actions, episodes, updates = 3, 8, 20
	speaks, rng := []int{0, 0, 0, 1, 0, 0, 0}, rand.New(rand.NewPCG(seed+1, 11))
	e, own := tabular.NewTabular(actions), 1.0
	credits, team := words.NoCredit(), 0.0
	credits.Baseline, credits.OwnWeight, credits.TeamWeight = "agent", &own, &team
	l, err := newLearner(learn.Config{
		Settings: []any{learn.Group{Size: episodes, Joint: "aligned", Rollout: "episodes", Reduction: "seq_sum"}, credits, words.Loss{Per: per}},
		Actors:   []rollout.Actor{{Engine: e}, {Engine: e}}, Sharing: learn.Sharing{Policies: learn.Policies{Sharing: sharing, FirstTrainedTurn: 1}, Bases: []int{0, 0}},
		Turns: len(speaks), Updates: updates, RoleGradients: 1, Steps: learn.StepCounts{}, Tops: learn.StepCounts{},
		Optimizer: learn.Optimizer{LR: 0.1, Beta1: 0.9, Beta2: 0.95, Eps: 1e-8},
	}, credit.ModeMean)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range l.Sharing.Trained(1, false) {
		if err := e.NewPolicy(t.Context(), p.Policy, engine.PolicySpec{}); err != nil {
			t.Fatal(err)
		}
	}
	var steps []loss.Mass
	for update := range updates {
		var all [][]told
		for range episodes {
			var messages []told
			for _, agent := range speaks {
				messages = append(messages, told{agent: agent, own: []float64{0, 0}})
			}
			all = append(all, messages)
		}
		p := problem(nil, all...)
		for _, n := range p.Nodes {
			said := &n.Agents[0]
			said.Prompt, said.Policy = []int{0}, l.Sharing.Policy(n.Turn, said.Agent)
			chances, err := e.Probabilities(said.Policy)
			if err != nil {
				t.Fatal(err)
			}
			action, luck := drawn(rng, chances), 0.3
			if action == said.Agent { // the good one of the first role is 0, of the second 1
				luck = 0.8
			}
			if rng.Float64() < luck {
				n.Own[0][said.Agent] = 1
			}
			said.Completions[0] = rollout.Completion{Tokens: []int{action}, Logprobs: []float32{float32(math.Log(chances[action]))}}
		}
		s := learntest.Update(t, l, update, []*rollout.Episode{p})
		if step, ok := s.RoleGradients["policy"]; ok {
			steps = append(steps, step)
		}
		if len(s.RoleLoss) != 2 || (sharing == "shared") != (len(s.RoleGradients) == 1) || len(s.RoleNorm) != 2 {
			t.Fatalf("update %d: %+v", update+1, s.RoleStats)
		}
	}
	return steps
}
