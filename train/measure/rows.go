package measure

import (
	"fmt"
	"math"

	"parley/internal/seed"
	"parley/rl/eval"
	"parley/rl/rollout"
	"parley/runs"
	"parley/task/answer"
)

// Row puts a measurement into the report's form; root is the run's seed. An error says that the report would contradict itself.
func Row(m *Measurement, invalid answer.Invalid, root int) (runs.Row, error) {
	r := runs.Row{
		System: m.System, Score: m.Score(), CI95: interval(m, len(m.Scores)-1, root), TokensPerProblem: m.TokensPerProblem(),
		Latency: m.MeanLatency(), Parts: m.MeanParts(), Costs: m.MeanCosts(), OwnReward: m.Own, Play: m.Play, Unscored: len(m.Missing),
	}
	for _, scores := range m.Scores {
		r.PerTurn = append(r.PerTurn, eval.Mean(scores))
	}
	if raw, ok := m.Measure.Raw(r.Score); ok {
		r.Raw = &raw
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

// Tables puts systems into the tables of a report, with what the team differs from each of the others: by the measure of their scores, and by
// accuracy beside it, where scores are something else and answers have a truth all the same. An error says that two measures were mixed, or that the
// report would contradict itself.
func Tables(rep *runs.Report, team *Measurement, systems []*Measurement, invalid answer.Invalid, root int) error {
	rows, differences, err := tabled(team, systems, invalid, root)
	if err != nil {
		return err
	}
	rep.Metric, rep.Measure, rep.Rows, rep.Comparisons = team.Measure.Name, &team.Measure, rows, differences
	var accurate []*Measurement
	for _, m := range systems {
		if a := m.Accurate(); a != nil {
			accurate = append(accurate, a)
		}
	}
	right := team.Accurate()
	if len(accurate) == 0 || right == nil {
		return nil
	}
	also := &runs.Also{Metric: right.Measure.Name, Measure: &right.Measure}
	also.Rows, also.Comparisons, err = tabled(right, accurate, invalid, root)
	rep.Also = also
	return err
}

// tabled are the rows of one table: all of the team's measure.
func tabled(team *Measurement, systems []*Measurement, invalid answer.Invalid, root int) (rows []runs.Row, differences []runs.Comparison, err error) {
	for _, m := range systems {
		row, err := Row(m, invalid, root)
		if err != nil {
			return nil, nil, err
		}
		rows = append(rows, row)
		if m.System == team.System {
			continue
		}
		c, compared, err := Compare(team, m, root)
		if err != nil {
			return nil, nil, err
		}
		if compared {
			differences = append(differences, c)
		}
	}
	return rows, differences, nil
}

// Compare tests the difference of two systems' scores of the last turn, problem by problem; false: no problem was scored of both. Scores of two
// measures are refused.
func Compare(m, against *Measurement, root int) (runs.Comparison, bool, error) {
	_, ours, theirs := Common(m, against)
	d, err := eval.Compare(at(m.Last(), ours), at(against.Last(), theirs), seed.Derive(uint64(root), "compare "+m.System+" "+against.System))
	if err != nil {
		return runs.Comparison{}, false, fmt.Errorf("compare %s with %s: %w", m.System, against.System, err)
	}
	return runs.Comparison{System: m.System, Against: against.System, Difference: d.Mean, CI95: [2]float64{d.Interval.Low, d.Interval.High}, P: d.P}, len(ours) > 0, nil
}

// at are the scores at some places.
func at(s eval.Scores, places []int) eval.Scores {
	return eval.Scores{Measure: s.Measure, Values: At(s.Values, places)}
}

// Gain is what m scores more than another measurement in the last turn, on the problems that were scored of both. Scores of two measures are refused.
func Gain(m, over *Measurement) (float64, error) {
	_, ours, theirs := Common(m, over)
	return at(m.Last(), ours).Less(at(over.Last(), theirs))
}

// interval is that of a system's score after a turn, by the bootstrap over problems. All systems and turns of a run have the same resamples: equal scores have
// equal intervals.
func interval(m *Measurement, turn, root int) [2]float64 {
	i := eval.OverProblems(m.Scores[turn], seed.Derive(uint64(root), "interval"))
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

// Dialogue records the first answers of an episode. names are those of the agents; nil: they have none.
func Dialogue(system string, e *rollout.Episode, names []string) runs.Dialogue {
	x := runs.Dialogue{System: system, Question: e.Problem.Question, Truth: e.Problem.Truth}
	for _, n := range e.Nodes {
		x.Answers = append(x.Answers, n.Answers...)
		for _, agentTurn := range n.Agents {
			c := agentTurn.Completions[0]
			line := runs.Answer{Turn: n.Turn + 1, Agent: agentTurn.Agent + 1, Text: c.Text, Correct: c.Correct}
			if agentTurn.Agent < len(names) {
				line.Name = names[agentTurn.Agent]
			}
			for _, call := range c.Calls {
				line.Calls = append(line.Calls, call.String())
			}
			if len(n.Scored) > 0 {
				line.Reward = n.Scored[0].Reward
			}
			x.Lines = append(x.Lines, line)
		}
	}
	return x
}
