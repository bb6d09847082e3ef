package workflow_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/rl/credit"
	"parley/rl/credit/workflow"
)

var baselines = []workflow.Baseline{workflow.ByProblem, workflow.ByAgent, workflow.ByAgentTurn, workflow.Global}

func plain(b workflow.Baseline) workflow.Comparison {
	return workflow.Comparison{Baseline: b, Spread: credit.Spread{Std: credit.StdNone, Divide: credit.DivideFloor, Eps: credit.SpreadEps}, Leave: workflow.LeaveNone}
}

func compare(t rapid.TB, c workflow.Comparison, episodes [][]workflow.Message) [][]float64 {
	t.Helper()
	out, _, err := c.Advantages([][][]workflow.Message{episodes})
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}

// draw draws the messages of some episodes of two agents, with returns on a grid.
func draw(t *rapid.T) [][]workflow.Message {
	episodes := make([][]workflow.Message, rapid.IntRange(2, 5).Draw(t, "episodes"))
	for e := range episodes {
		turns := [2]int{}
		for step := range rapid.IntRange(1, 4).Draw(t, "messages") {
			agent := rapid.IntRange(0, 1).Draw(t, "agent")
			value := float64(rapid.IntRange(-40, 40).Draw(t, "return")) / 10
			episodes[e] = append(episodes[e], workflow.Message{Step: step, Agent: agent, Turn: turns[agent], Return: value})
			turns[agent]++
		}
	}
	return episodes
}

// TestOneMessageIsGRPO: where every episode is one message of one agent, all baselines give the advantages of a group.
func TestOneMessageIsGRPO(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var returns []float64
		var episodes [][]workflow.Message
		for range rapid.IntRange(2, 8).Draw(t, "G") {
			r := float64(rapid.IntRange(-40, 40).Draw(t, "return")) / 10
			returns, episodes = append(returns, r), append(episodes, []workflow.Message{{Return: r}})
		}
		for _, c := range []struct {
			mode      credit.AdvantageMode
			normalize bool
			std       credit.Std
			leave     string
		}{
			{credit.ModeMean, false, credit.StdNone, workflow.LeaveNone},
			{credit.ModeMean, true, credit.StdPopulation, workflow.LeaveNone},
			{credit.ModeRLOO, false, credit.StdNone, workflow.LeaveMessage},
			{credit.ModeRLOO, false, credit.StdNone, workflow.LeaveEpisode},
		} {
			want, err := credit.Advantages(returns, c.mode, c.normalize)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range baselines {
				rule := plain(b)
				rule.Spread.Std, rule.Leave = c.std, c.leave
				for i, got := range compare(t, rule, episodes) {
					if math.Abs(got[0]-want[i]) > 1e-12 {
						t.Fatalf("%s, std %s, leave %s: message %d has %v, want %v", b, c.std, c.leave, i, got[0], want[i])
					}
				}
			}
		}
	})
}

// TestAgentsScale: compared by agent and divided by the deviation, the scale on which one agent is paid does not count.
func TestAgentsScale(t *testing.T) {
	rule := plain(workflow.ByAgent)
	rule.Spread.Std = credit.StdPopulation
	rapid.Check(t, func(t *rapid.T) {
		episodes := draw(t)
		scale, shift := rapid.Float64Range(0.5, 100).Draw(t, "scale"), rapid.Float64Range(-100, 100).Draw(t, "shift")
		want := compare(t, rule, episodes)
		for e := range episodes {
			for i := range episodes[e] {
				if m := &episodes[e][i]; m.Agent == 1 {
					m.Return = scale*m.Return + shift
				}
			}
		}
		near(t, compare(t, rule, episodes), want, 1e-9)
	})
}

// TestSumsAndOrder: the advantages of a group add up to 0, and permuting episodes permutes them.
func TestSumsAndOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		episodes := draw(t)
		order := rapid.Permutation(indices(len(episodes))).Draw(t, "order")
		moved := make([][]workflow.Message, len(episodes))
		for i, o := range order {
			moved[i] = episodes[o]
		}
		for _, b := range baselines {
			for _, std := range []credit.Std{credit.StdNone, credit.StdPopulation, credit.StdSample} {
				for _, leave := range []string{workflow.LeaveNone, workflow.LeaveMessage, workflow.LeaveEpisode} {
					rule := plain(b)
					rule.Spread.Std, rule.Leave = std, leave
					got := compare(t, rule, episodes)
					turned := compare(t, rule, moved)
					for i, o := range order {
						near(t, [][]float64{turned[i]}, [][]float64{got[o]}, 1e-9)
					}
				}
			}
			if b == workflow.ByProblem {
				continue // its groups are of episodes
			}
			sums := map[workflow.Message]float64{}
			for e, row := range compare(t, plain(b), episodes) {
				for i, a := range row {
					key := workflow.Message{}
					if b != workflow.Global {
						key.Agent = episodes[e][i].Agent
					}
					if b == workflow.ByAgentTurn {
						key.Turn = episodes[e][i].Turn
					}
					sums[key] += a
				}
			}
			for key, s := range sums {
				if math.Abs(s) > 1e-9 {
					t.Fatalf("%s: the group of %+v adds up to %v", b, key, s)
				}
			}
		}
	})
}

func near(t rapid.TB, got, want [][]float64, tolerance float64) {
	t.Helper()
	for i := range want {
		for j := range want[i] {
			if math.Abs(got[i][j]-want[i][j]) > tolerance*max(1, math.Abs(want[i][j])) {
				t.Fatalf("got %v, want %v", got, want)
			}
		}
	}
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// TestAlone: a message that nobody is compared with teaches nothing, unless the published rule is asked for; equal returns teach nothing at all.
func TestAlone(t *testing.T) {
	for _, b := range baselines {
		rule := plain(b)
		rule.Spread = credit.Spread{Std: credit.StdSample, Divide: credit.DivideAdd, Eps: 1e-6}
		if got := compare(t, rule, [][]workflow.Message{{{Return: 0.7}}, nil})[0][0]; got != 0 {
			t.Errorf("%s: alone: %v", b, got)
		}
		equal := [][]workflow.Message{{{Return: 0.5}}, {{Return: 0.5}}, {{Return: 0.5}}}
		for _, row := range compare(t, rule, equal) {
			if row[0] != 0 {
				t.Errorf("%s: equal returns: %v", b, row)
			}
		}
		rule.Raw = true
		if got := compare(t, rule, [][]workflow.Message{{{Return: 0.7}}})[0][0]; math.Abs(got-0.7/1.000001) > 1e-15 {
			t.Errorf("%s: alone and raw: %v", b, got)
		}
	}
}

// TestUnknownWords: what is misspelled is named.
func TestUnknownWords(t *testing.T) {
	for _, change := range []func(*workflow.Comparison){
		func(c *workflow.Comparison) { c.Baseline = "team" },
		func(c *workflow.Comparison) { c.Leave = "turn" },
		func(c *workflow.Comparison) { c.Spread.Std = "mad" },
		func(c *workflow.Comparison) { c.Spread.Divide = "by" },
	} {
		rule := plain(workflow.ByAgent)
		change(&rule)
		if _, _, err := rule.Advantages(nil); err == nil {
			t.Errorf("no error for %+v", rule)
		}
	}
}

// TestUnbiased enumerates all pairs of episodes of an agent that speaks once or twice, and compares the expected gradient with the true one. Only
// leaving out the whole episode gives it whatever the policy; a mean gives a part of it that may hang on the policy, and leaving out one message too
// much or too little.
func TestUnbiased(t *testing.T) {
	type episode struct {
		chance, reward float64
		actions        []int
	}
	p := softmax(0.4, -0.3)
	rewards := [2][2]float64{{0.2, 1}, {0.6, -0.3}}
	all := func(unequal bool) (out []episode) {
		for a := range 2 {
			if unequal && a == 0 {
				out = append(out, episode{p[0], 0.35, []int{0}})
				continue
			}
			for b := range 2 {
				out = append(out, episode{p[a] * p[b], rewards[a][b], []int{a, b}})
			}
		}
		return out
	}
	dlog := func(action int) float64 { // by the first logit
		if action == 0 {
			return 1 - p[0]
		}
		return -p[0]
	}
	for _, c := range []struct {
		baseline       workflow.Baseline
		leave          string
		raw            bool
		equal, unequal float64 // factors of the true gradient
	}{
		{workflow.ByProblem, workflow.LeaveNone, false, 0.5, 0.5},
		{workflow.ByProblem, workflow.LeaveEpisode, false, 1, 1},
		{workflow.ByAgent, workflow.LeaveNone, false, 0.5, 0.3961},
		{workflow.ByAgent, workflow.LeaveMessage, false, 0.6667, 0.5711},
		{workflow.ByAgent, workflow.LeaveEpisode, false, 1, 1},
		{workflow.ByAgentTurn, workflow.LeaveEpisode, false, 1, 0.4251},
		{workflow.ByAgentTurn, workflow.LeaveEpisode, true, 1, 1},
	} {
		for _, unequal := range []bool{false, true} {
			rule := plain(c.baseline)
			rule.Leave, rule.Raw = c.leave, c.raw
			truth, mean := 0.0, 0.0
			every := all(unequal)
			for _, e := range every {
				for _, a := range e.actions {
					truth += e.chance * e.reward * dlog(a)
				}
			}
			for _, x := range every {
				for _, y := range every {
					var said [][]workflow.Message
					for _, e := range []episode{x, y} {
						var row []workflow.Message
						for k := range e.actions {
							row = append(row, workflow.Message{Step: k, Turn: k, Return: e.reward})
						}
						said = append(said, row)
					}
					for i, row := range compare(t, rule, said) {
						for k, a := range row {
							mean += x.chance * y.chance * a * dlog([]episode{x, y}[i].actions[k]) / 2
						}
					}
				}
			}
			want := c.equal
			if unequal {
				want = c.unequal
			}
			if got := mean / truth; math.Abs(got-want) > 1e-3 {
				t.Errorf("%s, leave %s, raw %v, unequal %v: %.4f of the true gradient, want %.4f", c.baseline, c.leave, c.raw, unequal, got, want)
			}
		}
	}
}

func softmax(a, b float64) [2]float64 {
	x, y := math.Exp(a), math.Exp(b)
	return [2]float64{x / (x + y), y / (x + y)}
}

// TestReturns: what the environment pays after a message is not discounted against it, unless the clock counts its steps; a failed episode has no
// messages, and one that is kept pays its fine at the end.
func TestReturns(t *testing.T) {
	steps := []workflow.Step{{Says: []int{0}}, {Team: 1}, {}, {Says: []int{1}}, {Team: 0.5}}
	options := workflow.Options{Gamma: 0.5, Clock: workflow.ClockAsk, Returns: workflow.ToGo, Weights: []workflow.Weights{{Team: 1, Own: 1}, {Team: 1, Own: 1}}}
	for clock, want := range map[workflow.Clock][]float64{workflow.ClockAsk: {1.25, 0.5}, workflow.ClockStep: {0.53125, 0.25}} {
		o := options
		o.Clock = clock
		var got []float64
		for _, m := range o.Credit(workflow.Episode{Steps: steps}).Messages {
			got = append(got, m.Return)
		}
		if !slices.Equal(got, want) {
			t.Errorf("clock %s: returns %v, want %v", clock, got, want)
		}
	}
	failed := workflow.Episode{Steps: steps, Failed: true}
	if got := options.Credit(failed); got.Kept || got.Messages != nil {
		t.Errorf("a failed episode has %+v", got)
	}
	options.Keep, options.FailReward, options.Returns = true, -1, workflow.Total
	if got := options.Credit(failed); !got.Kept || got.Messages[0].Return != 0.5 || got.Totals[1] != 0.5 {
		t.Errorf("a failed episode that is kept has %+v", got)
	}
}
