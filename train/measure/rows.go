package measure

import (
	"fmt"
	"math"

	"parley/eval"
	"parley/internal/seed"
	"parley/runs"
)

// Row puts a measurement into the report's form; root is the run's seed. An error says that the report would contradict itself.
func Row(m *Measurement, invalid eval.Invalid, root int) (runs.Row, error) {
	r := runs.Row{
		System: m.System, Score: m.Score(), CI95: interval(m, len(m.Scores)-1, root), TokensPerProblem: m.TokensPerProblem(),
		Latency: m.MeanLatency(), Parts: m.MeanParts(), Costs: m.MeanCosts(), Play: m.Play, Unscored: len(m.Missing),
	}
	for _, scores := range m.Scores {
		r.PerTurn = append(r.PerTurn, mean(scores))
	}
	if len(m.Debates) == 0 {
		return r, nil
	}
	e, err := eval.Evaluate(m.Debates, invalid)
	if err != nil {
		return r, fmt.Errorf("internal error: the report of %s: %w", m.System, err)
	}
	for t, turn := range e.Turns {
		if math.Abs(turn.Voted-r.PerTurn[t]) > 1e-9 {
			return r, fmt.Errorf("internal error: the report of %s: the vote of turn %d scores %v, the table says %v", m.System, t+1, turn.Voted, r.PerTurn[t])
		}
		r.Turns = append(r.Turns, runs.TurnResult{
			Turn: turn.Turn, Voted: turn.Voted, CI95: interval(m, t, root), SingleAnswer: turn.Single,
			Unparseable: turn.Unparseable, Extracted: turn.Extracted, Flagged: turn.Flagged,
		})
	}
	for i, tr := range e.Transitions {
		r.Transitions = append(r.Transitions, runs.Transition{
			FromTurn: tr.FromTurn, ToTurn: tr.ToTurn, Answers: moves(tr.Shares), Votes: moves(e.Voted[i]),
			Own:       runs.Conditions{Joint: conditioned(tr.Own), Conditional: conditioned(tr.OwnConditional)},
			Influence: runs.Conditions{Joint: conditioned(tr.Influence), Conditional: conditioned(tr.InfluenceConditional)},
		})
	}
	return r, nil
}

// WithoutHistory puts the measurement of a policy that answers the question alone into the report's form.
func WithoutHistory(m *Measurement, root int) runs.LoneScore {
	return runs.LoneScore{Policy: m.System, Score: m.Score(), CI95: interval(m, 0, root)}
}

// Compare tests the difference of two systems' scores of the last turn, problem by problem; false: no problem was scored of both.
func Compare(m, against *Measurement, root int) (runs.Comparison, bool) {
	_, ours, theirs := Common(m, against)
	if len(ours) == 0 {
		return runs.Comparison{}, false
	}
	d := eval.Compare(At(m.Last(), ours), At(against.Last(), theirs), seed.Derive(uint64(root), "compare "+m.System+" "+against.System))
	return runs.Comparison{System: m.System, Against: against.System, Difference: d.Mean, CI95: [2]float64{d.Interval.Low, d.Interval.High}, P: d.P}, true
}

// Gain is what m scores more than another measurement in the last turn, on the problems that were scored of both.
func Gain(m, over *Measurement) float64 {
	_, ours, theirs := Common(m, over)
	return mean(At(m.Last(), ours)) - mean(At(over.Last(), theirs))
}

// interval is that of a system's score after a turn, by the bootstrap over problems.
func interval(m *Measurement, turn, root int) [2]float64 {
	i := eval.OverProblems(m.Scores[turn], seed.Derive(uint64(root), "interval "+m.System, turn))
	return [2]float64{i.Low, i.High}
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
