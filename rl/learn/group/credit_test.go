package group

import (
	"math"
	"slices"
	"testing"

	"parley/engine"
	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/learn/group/words"
	"parley/rl/loss"
	"parley/rl/rollout"
)

// A told message is one of an agent, with what the team and each agent earned at its node.
type told struct {
	agent int
	team  float64
	own   []float64
	cut   bool // it reached the most tokens
}

// problem is one with whole episodes of messages; the last of an episode that failed has no reward.
func problem(failed []int, episodes ...[]told) *rollout.Episode {
	e := &rollout.Episode{}
	for sample, messages := range episodes {
		for turn, m := range messages {
			n := &rollout.Node{Turn: turn, Parent: -1, ParentAction: -1, Sample: sample, Joint: [][]int{{0}}, Rewards: []float64{m.team}}
			if turn > 0 {
				n.Parent, n.ParentAction = len(e.Nodes)-1, 0
			}
			if m.own != nil {
				n.Own = [][]float64{m.own}
			}
			if slices.Contains(failed, sample) && turn == len(messages)-1 {
				n.Failed, n.Rewards, n.Own = "no score", nil, nil
			}
			n.Agents = []rollout.AgentTurn{{Agent: m.agent, Policy: "policy", Completions: []rollout.Completion{{Tokens: []int{1, 2}}}}}
			if m.cut {
				n.Agents[0].Completions[0].Stop = engine.StopLength
			}
			e.Nodes = append(e.Nodes, n)
		}
	}
	return e
}

func creditor(t *testing.T, change func(*words.Credit, *learn.Group)) *learner {
	t.Helper()
	c, g := words.NoCredit(), learn.Group{Size: 3, Joint: "aligned", CrossCredit: "mean", Rollout: "episodes", Discount: 1, Reduction: "seq_sum"}
	change(&c, &g)
	l, err := newLearner(learn.Config{Settings: []any{g, c}}, credit.ModeMean)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func advantagesOf(t *testing.T, l *learner, stats *learn.Stats, problems ...*rollout.Episode) (out []float64) {
	t.Helper()
	if err := l.creditEpisodes(t.Context(), problems, nil, stats); err != nil {
		t.Fatal(err)
	}
	for _, e := range problems {
		for _, n := range e.Nodes {
			out = append(out, n.Agents[0].Completions[0].Advantage)
		}
	}
	return out
}

func about(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-12 }) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestOneAgentAndTurnIsGRPO: with one message an episode every baseline of a group is that of GRPO, to the bit.
func TestOneAgentAndTurnIsGRPO(t *testing.T) {
	rewards := []float64{0.1, 0.7, 0.3}
	var episodes [][]told
	for _, r := range rewards {
		episodes = append(episodes, []told{{team: r}})
	}
	want, err := credit.Advantages(rewards, credit.ModeMean, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, baseline := range []string{"auto", "problem", "agent", "agent_turn", "global"} {
		for _, returns := range []string{"to_go", "episode"} {
			for _, clock := range []string{"ask", "step"} {
				l := creditor(t, func(c *words.Credit, g *learn.Group) {
					c.Baseline, c.Returns, c.Clock, g.Discount = baseline, returns, clock, 0.5
				})
				if got := advantagesOf(t, l, new(learn.Stats), problem(nil, episodes...)); !slices.Equal(got, want) {
					t.Errorf("%s, %s, %s: %v, want %v", baseline, returns, clock, got, want)
				}
			}
		}
	}
}

// TestBaselinesOfEpisodes is the example of docs/credit.md, by hand: three episodes of a planner (agent 0) and a coder (agent 1).
func TestBaselinesOfEpisodes(t *testing.T) {
	// Returns to go: planner 1, coder 1, planner .5, coder .5; planner 0; planner .25, coder −.5.
	play := func() *rollout.Episode {
		return problem(nil,
			[]told{{agent: 0}, {agent: 1, team: 0.5}, {agent: 0}, {agent: 1, team: 0.5}},
			[]told{{agent: 0}},
			[]told{{agent: 0, team: 0.75}, {agent: 1, team: -0.5}})
	}
	returns := []float64{1, 1, 0.5, 0.5, 0, 0.25, -0.5}
	minus := func(b ...float64) []float64 {
		out := slices.Clone(returns)
		for i := range out {
			out[i] -= b[i%len(b)]
		}
		return out
	}
	score := (0.75 + 0 - 0.125) / 3
	planner, coder := 1.75/4, 1./3
	for baseline, want := range map[string][]float64{
		"auto": minus(score), "problem": minus(score), "global": minus(2.75 / 7),
		"agent":      minus(planner, coder, planner, coder, planner, planner, coder),
		"agent_turn": {1 - 1.25/3, 0.75, 0, 0, -1.25 / 3, 0.25 - 1.25/3, -0.75},
	} {
		l := creditor(t, func(c *words.Credit, _ *learn.Group) { c.Baseline = baseline })
		about(t, baseline, advantagesOf(t, l, new(learn.Stats), play()), want)
	}
	l := creditor(t, func(c *words.Credit, _ *learn.Group) { c.Baseline, c.LOO = "problem", "episode" })
	others := []float64{-0.0625, -0.0625, -0.0625, -0.0625, 0.3125, 0.375, 0.375}
	about(t, "without the episode", advantagesOf(t, l, new(learn.Stats), play()), minus(others...))
}

// TestRoleBaselines: SPIRAL's rule, one game at a time, in a run that is stopped after the first: 1, .95, −1.0975 for the first role.
func TestRoleBaselines(t *testing.T) {
	rae := func() *learner {
		own := 1.
		return creditor(t, func(c *words.Credit, g *learn.Group) {
			c.Baseline, c.OwnWeight, c.ZeroSum, g.Size = "rae", &own, true, 1
			c.RAE = words.RoleBaselines{Decay: 0.95, Mode: "sequential", Order: "before", Key: "role", Warm: "zero"}
		})
	}
	game := func(r float64) *rollout.Episode {
		return problem(nil, []told{{agent: 0, own: []float64{0, 0}}, {agent: 1, own: []float64{r, -r}}})
	}
	l := rae()
	var got []float64
	for _, r := range []float64{1, 1, -1} {
		stats := new(learn.Stats)
		got = append(got, advantagesOf(t, l, stats, game(r))...)
		if *stats.NotZeroSum != 0 || len(stats.RoleBaselines) != 2 {
			t.Errorf("%+v", stats)
		}
		saved := l.Averages()
		l = rae()
		l.Remember(saved)
	}
	about(t, "advantages", got, []float64{1, -1, 0.95, -0.95, -1.0975, 1.0975})
	stats := new(learn.Stats)
	advantagesOf(t, l, stats, problem(nil, []told{{agent: 0, own: []float64{-1, 0}}, {agent: 1, own: []float64{0, 0}}}))
	if *stats.NotZeroSum != 1 {
		t.Error("a fine for the offender alone is zero-sum")
	}
}

// TestFailedAndCut: a failed episode takes no part, or has its fine; what is cut is compared and may be masked.
func TestFailedAndCut(t *testing.T) {
	episodes := [][]told{{{team: 1}}, {{team: 0}}, {{team: 5, cut: true}}}
	drop := creditor(t, func(c *words.Credit, _ *learn.Group) { c.Baseline = "agent" })
	about(t, "dropped", advantagesOf(t, drop, new(learn.Stats), problem([]int{2}, episodes...)), []float64{0.5, -0.5, 0})
	keep := creditor(t, func(c *words.Credit, _ *learn.Group) {
		c.Baseline, c.Failed, c.FailReward, c.Truncated = "agent", "keep", -1, "mask"
	})
	e := problem([]int{2}, episodes...)
	about(t, "kept", advantagesOf(t, keep, new(learn.Stats), e), []float64{1, 0, -1})
	if !e.Nodes[2].Agents[0].Completions[0].Masked || e.Nodes[0].Agents[0].Completions[0].Masked {
		t.Error("what is cut is not masked, or more is")
	}
	if keep.dropped(e, 2) || !drop.dropped(e, 2) {
		t.Error("what is kept is not learned from, or what is dropped is")
	}
	all := creditor(t, func(*words.Credit, *learn.Group) {})
	about(t, "all failed", advantagesOf(t, all, new(learn.Stats), problem([]int{0, 1, 2}, episodes...)), []float64{0, 0, 0})
}

// TestStepsOfTheEnvironment: they are free for the clock of asks and count for that of steps; in both, what they pay is counted once.
func TestStepsOfTheEnvironment(t *testing.T) {
	for clock, want := range map[string]float64{"ask": 1 + 2 + 4 + 0.5*8, "step": 1 + 0.5*2 + 0.25*4 + 0.125*8} {
		e := problem(nil, []told{{agent: 0, team: 7}, {agent: 0, team: 8}}, []told{{agent: 0}})
		e.Nodes[0].Outcomes = [][]rollout.Observed{{{Team: 2}, {Team: 4}}}
		l := creditor(t, func(c *words.Credit, g *learn.Group) { c.Clock, g.Discount = clock, 0.5 })
		advantagesOf(t, l, new(learn.Stats), e)
		if got := e.Nodes[0].Agents[0].Completions[0].Reward; got != want {
			t.Errorf("clock %s: the first message returns %v, want %v", clock, got, want)
		}
	}
}

// TestUnitsOfTheLoss: a message's factor is that of the whole episodes of the update, also where a step has only a part of them.
func TestUnitsOfTheLoss(t *testing.T) {
	e := problem([]int{2}, []told{{agent: 0}, {agent: 1}}, []told{{agent: 1}}, []told{{agent: 0}})
	for per, want := range map[string][]float64{
		"messages": nil, "agents": {1, 1. / 2, 1. / 2}, "turns": {1. / 4, 1. / 4, 1. / 2}, "episodes": {1. / 2, 1. / 2, 1. / 2},
	} {
		l := creditor(t, func(*words.Credit, *learn.Group) {})
		l.per = loss.Per(per)
		l.whole = l.wholeOf([]*rollout.Episode{e}, 0)
		var samples []nodeSample
		for _, n := range e.Nodes[:3] {
			samples = append(samples, nodeSample{counted: messageOf(e, n, &n.Agents[0])})
		}
		got, err := l.factors(samples)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("per %s: %v, %v, want %v", per, got, err, want)
		}
		first, err := l.factors(samples[:1])
		if err != nil || want != nil && first[0] != want[0] {
			t.Errorf("per %s: %v, %v in a step by itself, want %v", per, first, err, want)
		}
	}
}

// node is one at which an agent gave some completions, each a joint action.
func node(turn, parent, action, agent int, rewards ...float64) *rollout.Node {
	n := &rollout.Node{Turn: turn, Parent: parent, ParentAction: action, Rewards: rewards}
	for k := range rewards {
		n.Joint = append(n.Joint, []int{k})
	}
	n.Agents = []rollout.AgentTurn{{Agent: agent, Policy: "policy", Completions: make([]rollout.Completion, len(rewards))}}
	return n
}

func advantagesIn(e *rollout.Episode) (out []float64) {
	for _, n := range e.Nodes {
		for _, c := range n.Agents[0].Completions {
			out = append(out, c.Advantage)
		}
	}
	return out
}

// TestDecisions: candidates are compared by what their turn paid the team and the agent, and by nothing that follows. One that the environment
// failed at has no part.
func TestDecisions(t *testing.T) {
	decide := func(std string) *learner {
		return creditor(t, func(c *words.Credit, g *learn.Group) {
			g.Rollout, g.Size, g.Alpha, g.Pick, c.Std, c.Divide = learn.Decisions, 4, 1, "best", std, "add"
		})
	}
	first := node(0, -1, -1, 0, 1, 0, 0, 1)
	first.Own = [][]float64{{0, 9}, {0, 9}, {0.5, 9}, {0.5, 9}}
	second := node(1, 0, 3, 1, 7, 7, 7, 0)
	second.Unscored = []int{3}
	third := node(2, 1, 0, 0, 5, 0, 0, 0)
	third.Unscored = []int{1, 2, 3}
	e := &rollout.Episode{Nodes: []*rollout.Node{first, second, third}}
	if err := decide("none").creditEpisode(e, nil, new(learn.Stats)); err != nil {
		t.Fatal(err)
	}
	about(t, "advantages", advantagesIn(e), []float64{0.25, -0.75, -0.25, 0.75, 0, 0, 0, 0, 0, 0, 0, 0})
	for i, masked := range []int{0, 1, 4} {
		got := 0
		for _, c := range e.Nodes[i].Agents[0].Completions {
			if c.Masked {
				got++
			}
		}
		if got != masked {
			t.Errorf("decision %d: %d candidates are left out, want %d", i+1, got, masked)
		}
	}
	if err := decide("population").creditEpisode(e, nil, new(learn.Stats)); err != nil {
		t.Fatal(err)
	}
	if got, want := first.Agents[0].Completions[3].Advantage, 1.341638386504167; math.Abs(got-want) > 1e-9 {
		t.Errorf("divided by the deviation: %v, want %v", got, want)
	}
}

// TestBranches: a message is worth what follows it, and is compared with its siblings, without itself or with all of them.
func TestBranches(t *testing.T) {
	for loo, want := range map[string][]float64{
		"auto": {0, 0.75, -0.75, 1, -1, 0, 0, 0, 0}, "none": {0, 0.5, -0.5, 0.5, -0.5, 0, 0, 0, 0},
	} {
		l := creditor(t, func(c *words.Credit, g *learn.Group) {
			g.Rollout, g.FanOut, g.Backup, c.LOO = learn.Alternatives, []int{3, 2}, "children", loo
		})
		e := &rollout.Episode{Nodes: []*rollout.Node{node(0, -1, -1, 0, 0, 0, 0), node(1, 0, 0, 1, 1, 0), node(1, 0, 1, 1, 1, 1), node(1, 0, 2, 1, 0, 0)}}
		if err := l.creditEpisode(e, nil, new(learn.Stats)); err != nil {
			t.Fatal(err)
		}
		about(t, loo, advantagesIn(e), want)
		if v := e.Nodes[0].Agents[0].Completions[0].Reward; v != 0.5 {
			t.Errorf("the first plan is worth %v, want 0.5", v)
		}
	}
}

// TestOneTurnOfAlternativesIsGRPO: with one agent and one turn both rollouts of alternatives compare a group.
func TestOneTurnOfAlternativesIsGRPO(t *testing.T) {
	rewards := []float64{0.1, 0.7, 0.3}
	for _, c := range []struct {
		rollout, loo string
		mode         credit.AdvantageMode
	}{{learn.Decisions, "auto", credit.ModeMean}, {learn.Alternatives, "none", credit.ModeMean}, {learn.Alternatives, "auto", credit.ModeRLOO}} {
		want, err := credit.Advantages(rewards, c.mode, false)
		if err != nil {
			t.Fatal(err)
		}
		l := creditor(t, func(k *words.Credit, g *learn.Group) {
			g.Rollout, g.Alpha, g.Pick, g.Backup, k.LOO = c.rollout, 1, "best", "children", c.loo
		})
		e := &rollout.Episode{Nodes: []*rollout.Node{node(0, -1, -1, 0, rewards...)}}
		if err := l.creditEpisode(e, nil, new(learn.Stats)); err != nil {
			t.Fatal(err)
		}
		about(t, c.rollout+" "+c.loo, advantagesIn(e), want)
	}
}

// TestReplayedMessages: of each finished episode one message has alternatives, which are worth the mean of their continuations; what stands alone is left
// out of the loss, and an episode that failed has no credit. Compared by role instead, a message meets those behind other transcripts.
func TestReplayedMessages(t *testing.T) {
	play := func() *rollout.Episode {
		e := &rollout.Episode{Nodes: []*rollout.Node{
			node(0, -1, -1, 0, 0), node(1, 0, 0, 1, 0, 0), node(2, 1, 0, 0, 1, 0), node(2, 1, 1, 0, 1, 1), // the second message is gone back to
			node(0, -1, -1, 0, 0, 0), node(1, 4, 0, 1, 0.5), node(1, 4, 1, 1, 0), // in the other episode the first
			node(0, -1, -1, 0, 9, 9),
		}}
		for i, n := range e.Nodes {
			n.Sample = []int{0, 0, 0, 0, 1, 1, 1, 2}[i]
		}
		e.Nodes[7].Fail("no score")
		return e
	}
	l := creditor(t, func(_ *words.Credit, g *learn.Group) {
		g.Rollout, g.Replay, g.Backup = learn.Alternatives, []int{2, 2}, "children"
	})
	e := play()
	if err := l.creditEpisode(e, nil, new(learn.Stats)); err != nil {
		t.Fatal(err)
	}
	about(t, "by prompt", advantagesIn(e), []float64{0, -0.5, 0.5, 1, -1, 0, 0, 0.5, -0.5, 0, 0, 0, 0})
	for i, masked := range []bool{true, false, false, false, false, true, true} {
		if got := e.Nodes[i].Agents[0].Completions[0].Masked; got != masked {
			t.Errorf("node %d: left out %v, want %v", i, got, masked)
		}
	}
	l.settings.Siblings = "role"
	e = play()
	if err := l.creditEpisode(e, nil, new(learn.Stats)); err != nil {
		t.Fatal(err)
	}
	about(t, "by role", advantagesIn(e), []float64{0, -0.5, 0.5, 1. / 3, -1, 1. / 3, 1. / 3, 0.5, -0.5, 0.5, -0.5, 0, 0})
}
