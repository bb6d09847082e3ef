package group

import (
	"testing"

	"parley/engine"
	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/learn/group/words"
	"parley/rl/learn/learntest"
	"parley/rl/rollout"
)

// mamr is Dr. MAMR by its words: outcomes standardized over the episodes, influence and restarts beside them.
func mamr(c *words.Credit, norm string) {
	c.Returns, c.Std, c.Divide = "episode", "population", "add"
	c.Influence = words.Influence{Alpha: 0.1, Alike: 0.9, Restart: "<restart>", Beta: 0.1, RestartNorm: norm, Eps: 1e-6}
}

// TestInfluenceIsDrMAMR: the words of Dr. MAMR give the advantages of its rule, for influences and restarts that the engine says.
func TestInfluenceIsDrMAMR(t *testing.T) {
	e := learntest.NewEngine()
	if err := e.NewPolicy(t.Context(), "policy", engine.PolicySpec{}); err != nil {
		t.Fatal(err)
	}
	p := problem(nil, []told{{agent: 0}, {agent: 1}, {agent: 0, team: 1}}, []told{{agent: 0}, {agent: 1}, {agent: 0}}, []told{{agent: 0}, {agent: 1}, {agent: 0, team: 1}})
	texts := [][]int{{1, 2}, {3, 1}, {2, 2}, {1, 2}, {4, 4}, {2, 3}, {3, 3}, {3, 1}, {}}
	for i, n := range p.Nodes {
		asked := &n.Agents[0]
		asked.Prompt, asked.Sampling, asked.Completions[0].Tokens = []int{1 + i%3}, engine.Sampling{Temperature: 1}, texts[i]
		out, err := e.Forward(t.Context(), []engine.Datum{learn.Datum("policy", asked, &asked.Completions[0])})
		if err != nil {
			t.Fatal(err)
		}
		asked.Completions[0].Logprobs = out[0].Logprobs
		if i%3 > 0 {
			asked.Counterfactuals = append(asked.Counterfactuals, rollout.Counterfactual{Node: i - 1, Prompt: []int{4, i % 5}})
		}
	}
	p.Nodes[2].Agents[0].Counterfactuals = append(p.Nodes[2].Agents[0].Counterfactuals, rollout.Counterfactual{Node: 1, Kept: true, Prompt: []int{2, 2, 2}})
	p.Nodes[5].Agents[0].Counterfactuals = append(p.Nodes[5].Agents[0].Counterfactuals, rollout.Counterfactual{Node: 4, Kept: true, Prompt: []int{3}})
	p.Nodes[7].Agents[0].Counterfactuals = []rollout.Counterfactual{{Node: 6}} // its prompt does not show the message

	delta := func(at, which int) *float64 {
		asked := &p.Nodes[at].Agents[0]
		c := asked.Counterfactuals[which]
		if c.Prompt == nil {
			return new(float64)
		}
		other := *asked
		other.Prompt = c.Prompt
		out, err := e.Forward(t.Context(), []engine.Datum{learn.Datum("policy", &other, &asked.Completions[0])})
		if err != nil {
			t.Fatal(err)
		}
		x := asked.Completions[0].Logprob() - (&rollout.Completion{Logprobs: out[0].Logprobs}).Logprob()
		return &x
	}
	vector := func(i int) []float64 {
		v := make([]float64, 5)
		for _, token := range texts[i] {
			v[token]++
		}
		return v
	}
	var episodes []credit.InfluenceEpisode
	for s, outcome := range []float64{1, 0, 1} {
		ep := credit.InfluenceEpisode{Outcome: outcome, Right: outcome > 0}
		for k := range 3 {
			step := credit.InfluenceStep{Agent: []string{"a", "b", "a"}[k], Vector: vector(3*s + k)}
			if k < 2 {
				step.Influence = delta(3*s+k+1, 0)
			}
			if s < 2 && k == 1 {
				step.Restart = delta(3*s+2, 1)
			}
			ep.Steps = append(ep.Steps, step)
		}
		episodes = append(episodes, ep)
	}
	for _, norm := range []string{"standard", "none"} {
		l := creditor(t, func(c *words.Credit, _ *learn.Group) { mamr(c, norm) })
		l.Actors = []rollout.Actor{{Name: "a", Engine: e}, {Name: "b", Engine: e}}
		var want []float64
		for _, steps := range (credit.InfluenceRule{Alpha: 0.1, Beta: 0.1, Eps: 1e-6, Threshold: 0.9, RawRestarts: norm == "none"}).Credit(episodes) {
			for _, c := range steps {
				want = append(want, c.Advantage)
			}
		}
		stats := new(learn.Stats)
		about(t, norm, advantagesOf(t, l, stats, p), want)
		if stats.Influence == nil || stats.Restarts != 2 {
			t.Errorf("influence %v, %d restarts, want one and 2", stats.Influence, stats.Restarts)
		}
	}
}

// TestNothingFollows: a message behind which nothing is said has no influence, and a failed episode has no part.
func TestNothingFollows(t *testing.T) {
	l := creditor(t, func(c *words.Credit, _ *learn.Group) { mamr(c, "standard"); c.Std = "none" })
	l.Actors = []rollout.Actor{{Name: "a"}, {Name: "b"}}
	stats := new(learn.Stats)
	got := advantagesOf(t, l, stats, problem([]int{2}, []told{{agent: 0, team: 1}}, []told{{agent: 0}}, []told{{agent: 0, team: 5}}))
	about(t, "one message", got, []float64{0.5, -0.5, 0})
	if stats.Influence != nil || stats.Restarts != 0 {
		t.Errorf("influence %v, %d restarts of single messages", stats.Influence, stats.Restarts)
	}
}
