package measure

import (
	"context"
	"slices"

	"parley/engine"
	"parley/eval"
	"parley/internal/seed"
	"parley/internal/tie"
	"parley/learn"
	"parley/rollout"
	"parley/runs"
	"parley/train/lineup"
	"parley/train/plan"
)

// Sampled lets one policy answer every problem alone and without history, as often as the recipe's pass@k and accuracy@k ask
// (magrpo.md §10). A problem's score is the mean share that its answers solved.
func Sampled(ctx context.Context, l lineup.Lineup, system string, p learn.Trainee) (*Measurement, error) {
	single, err := plan.Single(l.Recipe)
	if err != nil {
		return nil, err
	}
	one, err := l.Solo(single, p.Agent)
	if err != nil {
		return nil, err
	}
	runner := one.Evaluation(false)
	runner.Actors[0].Policy = func(int) engine.Policy { return p.Policy }
	runner.Settings.Group, runner.Settings.MaxTokens = l.Recipe.Eval.Samples(), single.Sampling.MaxTokens
	return Of(l).sampled(ctx, system, runner)
}

// sampled plays the problems a few at a time: no more answers are held than one agent of a measured team gives in a turn.
func (m Measurer) sampled(ctx context.Context, system string, r *rollout.Runner) (*Measurement, error) {
	out := &Measurement{System: system, Scores: make([][]float64, 1)}
	few := max(1, len(m.Problems)/r.Settings.Group)
	for part, problems := range slices.Collect(slices.Chunk(m.Problems, few)) {
		episodes, err := m.playPart(ctx, out, r, part, part*few, problems)
		if err != nil {
			return nil, err
		}
		for _, e := range episodes {
			out.addCosts(e, nil)
			shares := SharesSolved(e)
			out.Shares, out.Scores[0] = append(out.Shares, shares), append(out.Scores[0], mean(shares))
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
		out = append(out, m.atK("pass", k, root, func(shares []float64) float64 { return eval.PassAtK(len(shares), passes(shares), k) }))
	}
	return out
}

// AccuracyAt is accuracy@k of a system for some k, with its expectation.
func AccuracyAt(m *Measurement, ks []int, root int) []runs.AccuracyAtK {
	var out []runs.AccuracyAtK
	for _, k := range ks {
		best := m.atK("accuracy", k, root, func(shares []float64) float64 { return eval.BestOfFirst(shares, k) })
		expected := mean(m.each(func(shares []float64) float64 { return eval.ExpectedBest(shares, k) }))
		out = append(out, runs.AccuracyAtK{AtK: best, Expected: expected})
	}
	return out
}

// atK is a number of each problem's shares, its mean over problems and the interval of that.
func (m *Measurement) atK(what string, k, root int, of func(shares []float64) float64) runs.AtK {
	values := m.each(of)
	i := eval.OverProblems(values, seed.Derive(uint64(root), "interval of "+what+" "+m.System, k))
	return runs.AtK{System: m.System, K: k, Value: mean(values), CI95: [2]float64{i.Low, i.High}}
}

func (m *Measurement) each(of func(shares []float64) float64) []float64 {
	out := make([]float64, len(m.Shares))
	for i, shares := range m.Shares {
		out[i] = of(shares)
	}
	return out
}

// passes counts the answers that solve all of a problem.
func passes(shares []float64) int {
	n := 0
	for _, s := range shares {
		if tie.Equal(s, 1, 1) {
			n++
		}
	}
	return n
}
