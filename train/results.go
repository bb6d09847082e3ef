package train

import (
	"fmt"
	"math"

	"parley/eval"
	"parley/internal/seed"
	"parley/runs"
)

// results puts all measurements into the report. An error says that the report would contradict itself.
func (j *job) results() error {
	systems := []*measurement{j.before}
	if j.after != j.before {
		systems = append(systems, j.after)
	}
	systems = append(systems, j.baselines...)
	for _, m := range systems {
		row, err := j.row(m)
		if err != nil {
			return fmt.Errorf("internal error: the report of %s: %w", m.System, err)
		}
		j.report.Rows = append(j.report.Rows, row)
		if m != j.after {
			j.report.Comparisons = append(j.report.Comparisons, j.comparison(j.after, m))
		}
	}
	for _, m := range j.alone {
		j.report.WithoutHistory = append(j.report.WithoutHistory, runs.LoneScore{Policy: m.System, Score: m.score(), CI95: j.interval(m, 0)})
	}
	j.report.Gain = j.after.score() - j.before.score()
	return nil
}

// row puts a measurement into the report's form.
func (j *job) row(m *measurement) (runs.Row, error) {
	r := runs.Row{System: m.System, Score: m.score(), CI95: j.interval(m, len(m.Scores)-1), TokensPerProblem: m.tokensPerProblem(),
		Latency: m.latency(), Parts: m.meanParts()}
	for _, scores := range m.Scores {
		r.PerTurn = append(r.PerTurn, average(scores))
	}
	if len(m.Debates) == 0 {
		return r, nil
	}
	e, err := eval.Evaluate(m.Debates, eval.Invalid(j.recipe.Eval.Invalid))
	if err != nil {
		return r, err
	}
	for t, turn := range e.Turns {
		if math.Abs(turn.Voted-r.PerTurn[t]) > 1e-9 {
			return r, fmt.Errorf("the vote of turn %d scores %v, the table says %v", t+1, turn.Voted, r.PerTurn[t])
		}
		r.Turns = append(r.Turns, runs.TurnResult{Turn: turn.Turn, Voted: turn.Voted, CI95: j.interval(m, t), SingleAnswer: turn.Single,
			Unparseable: turn.Unparseable, Extracted: turn.Extracted, Flagged: turn.Flagged})
	}
	for i, tr := range e.Transitions {
		r.Transitions = append(r.Transitions, runs.Transition{FromTurn: tr.FromTurn, ToTurn: tr.ToTurn, Answers: moves(tr.Shares), Votes: moves(e.Voted[i]),
			Own:       runs.Conditions{Joint: conditioned(tr.Own), Conditional: conditioned(tr.OwnConditional)},
			Influence: runs.Conditions{Joint: conditioned(tr.Influence), Conditional: conditioned(tr.InfluenceConditional)}})
	}
	return r, nil
}

// interval is that of a system's score after a turn, by the bootstrap over problems.
func (j *job) interval(m *measurement, turn int) [2]float64 {
	i := eval.OverProblems(m.Scores[turn], seed.Derive(uint64(j.recipe.Seed), "interval "+m.System, turn))
	return [2]float64{i.Low, i.High}
}

// comparison tests the difference of two systems' scores of the last turn.
func (j *job) comparison(m, against *measurement) runs.Comparison {
	d := eval.Compare(m.last(), against.last(), seed.Derive(uint64(j.recipe.Seed), "compare "+m.System+" "+against.System))
	return runs.Comparison{System: m.System, Against: against.System, Difference: d.Mean, CI95: [2]float64{d.Interval.Low, d.Interval.High}, P: d.P}
}

func moves(s eval.Shares) runs.Moves {
	return runs.Moves{RR: s.RR, WR: s.WR, RW: s.RW, WW: s.WW, Net: s.Net()}
}

// conditioned leaves out shares of nothing.
func conditioned(c eval.Conditioned) runs.Conditioned {
	known := func(x float64) *float64 {
		if math.IsNaN(x) {
			return nil
		}
		return &x
	}
	return runs.Conditioned{RWR: known(c.RWR), RWW: known(c.RWW), WRW: known(c.WRW), WRR: known(c.WRR), Delta0: known(c.Delta0()), Delta1: known(c.Delta1())}
}
