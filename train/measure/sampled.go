package measure

import (
	"cmp"
	"context"
	"slices"

	"parley/internal/seed"
	"parley/rl/eval"
	"parley/rl/rollout"
	"parley/runs"
	"parley/task"
	"parley/team"
	"parley/train/lineup"
)

// Sampled lets a team, trained or not, work on every problem n times, as often as the recipe's pass@k and accuracy@k ask (magrpo.md §10). A sample is
// a joint one: what the whole team made of a problem in an episode of its own. A problem's score is the mean share that its samples solved.
func Sampled(ctx context.Context, l lineup.Lineup, system string, trained bool, n int) (*Measurement, error) {
	sized, err := l.WithAgents(l.Recipe.MeasuredAgents())
	if err != nil {
		return nil, err
	}
	return Of(sized).sampled(ctx, system, sized, sized.Evaluation(trained), n)
}

// sampled plays all problems once a sample, each time with random numbers of its own. A problem that could not be scored in one of them is left out.
func (m Measurer) sampled(ctx context.Context, system string, l lineup.Lineup, r *rollout.Runner, n int) (*Measurement, error) {
	out := &Measurement{System: system, Measure: eval.Solved(), Scores: make([][]float64, 1)}
	shares, passed, spent, missing := make([][]float64, len(m.Problems)), make([][]float64, len(m.Problems)), make([][2]int, len(m.Problems)), make([]*Missing, len(m.Problems))
	for sample := range n {
		one := &Measurement{System: system}
		episodes, err := m.playPart(ctx, one, r, sample, 0, m.Problems)
		if err != nil {
			return nil, err
		}
		for i, x := range one.Missing {
			missing[x.Number] = cmp.Or(missing[x.Number], &one.Missing[i])
		}
		if sample < m.Recipe.Eval.Repeats() && len(episodes) > 0 {
			one.Measure, one.Scores = m.Scorer.Measure(), make([][]float64, r.Protocol.Turns())
			if err := m.score(ctx, one, r, episodes); err != nil {
				return nil, err
			}
		}
		for i, e := range episodes {
			solved, err := teamSolved(l, r.Protocol, e)
			if err != nil {
				return nil, err
			}
			one.addCosts(e, nil)
			shares[e.Index] = append(shares[e.Index], solved)
			if sample < m.Recipe.Eval.Repeats() {
				passed[e.Index] = append(passed[e.Index], one.best(i))
			}
			spent[e.Index][0], spent[e.Index][1] = spent[e.Index][0]+one.Tokens[i], max(spent[e.Index][1], one.Latency[i])
		}
	}
	for i, solved := range shares {
		if missing[i] != nil {
			out.Missing = append(out.Missing, *missing[i])
			continue
		}
		out.Shares, out.Scores[0] = append(out.Shares, solved), append(out.Scores[0], eval.Mean(solved))
		if len(passed[i]) > 0 {
			out.Passed = append(out.Passed, passed[i])
		}
		out.Tokens, out.Latency = append(out.Tokens, spent[i][0]), append(out.Latency, spent[i][1])
	}
	return out, m.enough(out)
}

// teamSolved is the share of a problem that a team solved in an episode: of a program that of its tests; else 1 where the answer of the team is right,
// as in a vote over its passes.
func teamSolved(l lineup.Lineup, p team.Protocol, e *rollout.Episode) (float64, error) {
	n := e.Nodes[len(e.Nodes)-1]
	if len(n.Scored) > 0 && n.Scored[0].Signals != nil && n.Scored[0].Signals.Solved != nil {
		return *n.Scored[0].Signals.Solved, nil
	}
	if l.Recipe.Harnessed() { // what its program has answered is scored, and not kept
		return n.Scored[0].Reward, nil
	}
	if _, answers := l.Task.(task.Answerer); !answers {
		return 0, nil
	}
	given, err := teamAnswer(l, p, e)
	if err != nil || !given.OK || given.Canonical != e.Problem.Right() {
		return 0, err
	}
	return 1, nil
}

// SampledAlone lets the one agent of r answer every problem n times. It plays the problems a few at a time: no more answers are held than one agent of
// a measured team gives in a turn.
func (m Measurer) SampledAlone(ctx context.Context, system string, r *rollout.Runner, n int) (*Measurement, error) {
	wide := *r
	wide.Settings.Group = n
	out := &Measurement{System: system, Measure: eval.Solved(), Scores: make([][]float64, 1)}
	few := max(1, len(m.Problems)/n)
	for part, problems := range slices.Collect(slices.Chunk(m.Problems, few)) {
		episodes, err := m.playPart(ctx, out, &wide, part, part*few, problems)
		if err != nil {
			return nil, err
		}
		for _, e := range episodes {
			out.addCosts(e, nil)
			shares := SharesSolved(e)
			out.Shares, out.Scores[0] = append(out.Shares, shares), append(out.Scores[0], eval.Mean(shares))
		}
	}
	return out, m.enough(out)
}

// SharesSolved says of an episode of a single agent what each answer solved: 1 where it agrees with the truth, of a program the share of
// the tests that pass.
func SharesSolved(e *rollout.Episode) []float64 {
	n := e.Nodes[0]
	out := make([]float64, len(n.Joint))
	for k, action := range n.Joint {
		if len(n.Scored) > 0 && n.Scored[k].Signals != nil && n.Scored[k].Signals.Solved != nil {
			out[k] = *n.Scored[k].Signals.Solved
		}
		if n.Agents[0].Completions[action[0]].Correct {
			out[k] = 1
		}
	}
	return out
}

// PassAt is pass@k of a system for some k, without bias, a mean over problems. root is the run's seed.
func PassAt(m *Measurement, ks []int, root int) []runs.AtK {
	var out []runs.AtK
	for _, k := range ks {
		out = append(out, m.atK("pass", k, root, m.Shares, func(shares []float64) float64 { return eval.PassAtKOf(shares, k) }))
	}
	return out
}

// best is 1 where a problem's score is the greatest possible, but for rounding.
func (m *Measurement) best(problem int) float64 {
	earned, high := m.Last().Values[problem], m.Measure.High
	if raw, other := m.Measure.Raw(earned); other {
		earned, high = raw, m.Measure.OfHigh
	}
	if earned >= high-1e-6 {
		return 1
	}
	return 0
}

// Repeats is how many samples say whether they reached the greatest score.
func (m *Measurement) Repeats() int {
	if len(m.Passed) == 0 {
		return 0
	}
	return len(m.Passed[0])
}

// PassHat is pass^k of a system for some k, without bias, a mean over problems.
func PassHat(m *Measurement, ks []int, root int) []runs.AtK {
	var out []runs.AtK
	for _, k := range ks {
		if k <= m.Repeats() {
			out = append(out, m.atK("pass^", k, root, m.Passed, func(passed []float64) float64 { return eval.PassHatKOf(passed, k) }))
		}
	}
	return out
}

// AccuracyAt is accuracy@k of a system for some k, with its expectation.
func AccuracyAt(m *Measurement, ks []int, root int) []runs.AccuracyAtK {
	var out []runs.AccuracyAtK
	for _, k := range ks {
		best := m.atK("accuracy", k, root, m.Shares, func(shares []float64) float64 { return eval.BestOfFirst(shares, k) })
		expected := eval.Mean(each(m.Shares, func(shares []float64) float64 { return eval.ExpectedBest(shares, k) }))
		out = append(out, runs.AccuracyAtK{AtK: best, Expected: expected})
	}
	return out
}

// atK is a number of each problem's samples, its mean over problems and the interval of that.
func (m *Measurement) atK(what string, k, root int, samples [][]float64, of func([]float64) float64) runs.AtK {
	values := each(samples, of)
	i := eval.OverProblems(values, seed.Derive(uint64(root), "interval of "+what+" "+m.System, k))
	return runs.AtK{System: m.System, K: k, Value: eval.Mean(values), CI95: [2]float64{i.Low, i.High}}
}

func each(samples [][]float64, of func([]float64) float64) []float64 {
	out := make([]float64, len(samples))
	for i, list := range samples {
		out[i] = of(list)
	}
	return out
}
