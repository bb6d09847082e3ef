package ppo

import (
	"math"
	"slices"
	"testing"

	"parley/engine"
	"parley/engine/native"
	"parley/model"
	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/loss"
	"parley/rl/reward"
	"parley/rl/rollout"
)

// TestPenaltyReach: −10 as a score reaches the rewards of all agents' earlier turns, as a reward of its own none but its answer's
// (MAPoRL §2.1, with the numbers of §13).
func TestPenaltyReach(t *testing.T) {
	for scope, want := range map[reward.Scope][][]float64{
		reward.ScopeScore: {{-0.983333, -1.05}, {-4.55, 0.8}, {0.9, 0.9}},
		reward.ScopeOwn:   {{(0.8 + 0.65 + 0.9) / 3, (0.6 + 0.65 + 0.9) / 3}, {-10, 0.8}, {0.9, 0.9}},
	} {
		e := &rollout.Episode{}
		for t, scores := range [][]float64{{0.8, 0.6}, {0.6, 0.7}, {0.9, 0.9}} {
			n := &rollout.Node{Turn: t}
			for agent, s := range scores {
				c := rollout.Completion{Score: s}
				if t == 1 && agent == 0 {
					c.Flags = []string{"no_box"}
				}
				n.Agents = append(n.Agents, rollout.AgentTurn{Agent: agent, Completions: []rollout.Completion{c}})
			}
			e.Nodes = append(e.Nodes, n)
		}
		scheme := reward.Scheme{Design: reward.Influence, Gamma: 1, Penalty: -10, PenaltyScope: scope, IncentiveRule: reward.PaperRule}
		l := &learner{Common: learn.Common{Config: learn.Config{Reward: learn.Reward{Scheme: scheme}}}}
		if err := l.assignRewards(e, new(learn.Stats)); err != nil {
			t.Fatal(err)
		}
		for i, n := range e.Nodes {
			for s := range n.Agents {
				if got := n.Agents[s].Completions[0].Reward; math.Abs(got-want[i][s]) > 1e-6 {
					t.Errorf("scope %s, turn %d, agent %d: reward %v, want %v", scope, i+1, s+1, got, want[i][s])
				}
			}
		}
	}
}

// TestTerminal: the reward one position past the last token gives that position a return and no advantage (MAPoRL §4), unless
// the answer is as long as answers may be.
func TestTerminal(t *testing.T) {
	for _, c := range []struct {
		terminal credit.Terminal
		limit    int
		returns  []float64
	}{
		{credit.TerminalLast, 5, []float64{1, 1, 1}},
		{credit.TerminalTRL, 5, []float64{1, 1, 1, 1}},
		{credit.TerminalTRL, 3, []float64{1, 1, 1}},
	} {
		a := &answer{Answer: learn.Answer{AgentTurn: &rollout.AgentTurn{}, Completion: &rollout.Completion{Tokens: []int{1, 2, 3}, Reward: 1}}, kl: make([]float64, 3), values: []float32{0.5, 0.5, 0.5, 0.5}}
		l := &learner{Common: learn.Common{Config: learn.Config{MaxTokens: c.limit}}, terminal: c.terminal, gae: credit.GAE{Gamma: 1, Lambda: 1}, answers: []*answer{a}}
		l.advantages(new(learn.Stats))
		if !slices.Equal(a.returns, c.returns) || !slices.Equal(a.advantage, []float64{0.5, 0.5, 0.5}) {
			t.Errorf("%s, limit %d: returns %v, advantages %v", c.terminal, c.limit, a.returns, a.advantage)
		}
	}
}

// TestSharedAdapterSumsGradients: the gradient of an adapter that two agents share is the sum of those of separate ones with the
// same parameters (MAPoRL §6).
func TestSharedAdapterSumsGradients(t *testing.T) {
	m, err := model.Open(model.Shipped)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	e, err := native.Open(m.Source, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	gradient := func(policies ...engine.Policy) [][]native.Gradient {
		t.Helper()
		answers := [][]int{{5, 9, 14, 20, 3}, {7, 11, 2, 30}}
		var data []engine.Datum
		var terms []loss.TokenSequence[float32]
		for i, ids := range answers {
			p := policies[i%len(policies)]
			data = append(data, engine.Datum{Policy: p, Tokens: ids, ScoreFrom: 2})
			terms = append(terms, loss.TokenSequence[float32]{Old: make([]float32, len(ids)-2), Advantages: []float64{1, -0.5, 2}[:len(ids)-2]})
		}
		for _, p := range slices.Compact(slices.Clone(policies)) {
			if err := e.NewPolicy(t.Context(), p, engine.PolicySpec{Rank: 4, Alpha: 8, Seed: 1}); err != nil {
				t.Fatal(err)
			}
		}
		loss, err := loss.NewPolicyBatch(loss.TokenObjective{Loss: loss.PPO, Reduction: loss.SeqMean, Clip: loss.Clip{Low: 1e9, High: 1e9}}, terms, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.ForwardBackward(t.Context(), data, loss.Gradient); err != nil {
			t.Fatal(err)
		}
		var out [][]native.Gradient
		for _, p := range policies {
			g, err := e.Gradients(p)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, g)
		}
		return out
	}
	shared, separate := gradient("shared")[0], gradient("agent1", "agent2")
	largest := 0.0
	for i := range shared {
		for j, got := range shared[i].Data {
			want := float64(separate[0][i].Data[j]) + float64(separate[1][i].Data[j])
			largest = max(largest, math.Abs(want))
			if math.Abs(float64(got)-want) > 1e-5*max(1, math.Abs(want)) {
				t.Fatalf("%s[%d]: shared %v, summed %v", shared[i].Name, j, got, want)
			}
		}
	}
	if largest == 0 {
		t.Error("all gradients are 0")
	}
}

// TestTruncatedPenalty: an unfinished answer earns less by its penalty, unless its score is the team's, which has paid. Whether it is right stays.
func TestTruncatedPenalty(t *testing.T) {
	c := rollout.Completion{Score: 0.9, Penalty: 0.75}
	n := &rollout.Node{Rewards: []float64{0.5}, Agents: []rollout.AgentTurn{{Completions: []rollout.Completion{c}}}}
	for _, x := range []struct {
		from learn.Reward
		want float64
	}{{learn.Reward{ByScore: true}, 0.9 - 0.75}, {learn.Reward{Joint: true}, 0.5}, {learn.Reward{FinalOnly: true}, -0.75}} {
		l := &learner{Common: learn.Common{Config: learn.Config{Reward: x.from}}}
		if got := l.answer(n, 0, false); math.Abs(got.Score-x.want) > 1e-12 || got.Correct != x.from.ByScore {
			t.Errorf("%+v: %+v, want a score of %v", x.from, got, x.want)
		}
	}
}

// TestRewardsOfSilentAgents: in a team that is rewarded for its whole work, those who speak before the others are credited with what comes of
// it (MAPoRL §2.2), and a critic reads what its agent was asked first. By hand, with γ = 1.
func TestRewardsOfSilentAgents(t *testing.T) {
	e := &rollout.Episode{}
	for turn, c := range []struct {
		agents []int
		joint  float64
	}{{[]int{1, 2}, 0}, {[]int{0}, 0.6}, {[]int{1, 2}, 0.9}} {
		n := &rollout.Node{Turn: turn, Rewards: []float64{c.joint}}
		for _, a := range c.agents {
			n.Agents = append(n.Agents, rollout.AgentTurn{Agent: a, Prompt: []int{turn, a}, Completions: make([]rollout.Completion, 1)})
		}
		e.Nodes = append(e.Nodes, n)
	}
	want := map[reward.Design][][]float64{
		reward.Influence:  {{0.5, 0.5}, {0.75}, {0.9, 0.9}},
		reward.Cumulative: {{0.45, 0.45}, {0.6}, {0.9, 0.9}},
		reward.Immediate:  {{0, 0}, {0.6}, {0.9, 0.9}},
	}
	for design, rewards := range want {
		scheme := reward.Scheme{Design: design, Gamma: 1, PenaltyScope: reward.ScopeScore, IncentiveRule: reward.PaperRule}
		l := &learner{Common: learn.Common{Config: learn.Config{Reward: learn.Reward{Scheme: scheme, Joint: true}}}}
		if err := l.assignRewards(e, new(learn.Stats)); err != nil {
			t.Fatal(err)
		}
		for i, n := range e.Nodes {
			for s := range n.Agents {
				if got := n.Agents[s].Completions[0].Reward; math.Abs(got-rewards[i][s]) > 1e-12 {
					t.Errorf("%s, turn %d, agent %d: reward %v, want %v", design, i+1, n.Agents[s].Agent+1, got, rewards[i][s])
				}
			}
		}
	}
	first := firstAsked([]*rollout.Episode{e})
	for asked, prompt := range map[*rollout.AgentTurn][]int{&e.Nodes[1].Agents[0]: {1, 0}, &e.Nodes[2].Agents[0]: {0, 1}, &e.Nodes[2].Agents[1]: {0, 2}} {
		if !slices.Equal(first[asked].Prompt, prompt) {
			t.Errorf("agent %d was first asked %v, want %v", asked.Agent+1, first[asked].Prompt, prompt)
		}
	}
}
