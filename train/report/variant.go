package report

import (
	"fmt"
	"math"
	"strings"

	"parley/rl/eval"
	"parley/runs"
	"parley/runs/compare"
)

// A variant is what the runs of one variant reported, one a seed.
type variant struct {
	name    string
	seeds   []int
	reports []runs.Report
}

// variants groups trials, which stand in the order of the recipe.
func variants(trials []Trial) []*variant {
	var out []*variant
	for _, t := range trials {
		if len(out) == 0 || out[len(out)-1].name != t.Variant {
			out = append(out, &variant{name: t.Variant})
		}
		v := out[len(out)-1]
		v.seeds, v.reports = append(v.seeds, t.Seed), append(v.reports, t.Report)
	}
	return out
}

// systems lists those that the variant's runs measured.
func (v *variant) systems() []string {
	var out []string
	for _, row := range v.reports[0].Rows {
		out = append(out, row.System)
	}
	return out
}

// of collects a number of every seed.
func (v *variant) of(number func(runs.Report) float64) []float64 {
	var out []float64
	for _, r := range v.reports {
		out = append(out, number(r))
	}
	return out
}

// gains are what training changed in every turn, over several seeds with half of their interval; none where nothing was trained.
func (v *variant) gains() (turns []string) {
	for t := range v.reports[0].Rows[0].PerTurn {
		gain, ci := eval.Student(v.of(func(r runs.Report) float64 { return gainAt(r, t) }))
		if math.IsNaN(gain) {
			return nil
		}
		cell := signed(gain)
		if len(v.seeds) > 1 {
			cell += fmt.Sprintf(" ± %.3f", (ci.High-ci.Low)/2)
		}
		turns = append(turns, cell)
	}
	return turns
}

// mean is a system's row: means over the seeds, with intervals over the seeds where there are several.
func (v *variant) mean(system string) (runs.Row, error) {
	var rows []runs.Row
	unscored := 0
	for _, r := range v.reports {
		if row, ok := r.Row(system); ok {
			unscored, row.Unscored = unscored+row.Unscored, 0 // a sum
			rows = append(rows, row)
		}
	}
	mean, err := compare.MeanRow(rows)
	mean.Variant, mean.Unscored = v.name, unscored
	if err != nil || len(rows) < 2 {
		return mean, err
	}
	mean.CI95, mean.PerTurnCI95 = overSeeds(rows, func(row runs.Row) float64 { return row.Score }), nil
	for t := range mean.PerTurn {
		ci := overSeeds(rows, func(row runs.Row) float64 { return row.PerTurn[min(t, len(row.PerTurn)-1)] })
		mean.PerTurnCI95 = append(mean.PerTurnCI95, ci)
		if t < len(mean.Turns) {
			mean.Turns[t].CI95 = ci
		}
	}
	for i := range mean.Transitions {
		mean.Transitions[i].Answers.CI95 = movesOverSeeds(rows, func(row runs.Row) runs.Moves { return row.Transitions[i].Answers })
		mean.Transitions[i].Votes.CI95 = movesOverSeeds(rows, func(row runs.Row) runs.Moves { return row.Transitions[i].Votes })
	}
	return mean, nil
}

// overSeeds is the interval of a number of a system's rows, one row a seed.
func overSeeds(rows []runs.Row, number func(runs.Row) float64) [2]float64 {
	var values []float64
	for _, row := range rows {
		values = append(values, number(row))
	}
	_, ci := eval.Student(values)
	return [2]float64{ci.Low, ci.High}
}

// movesOverSeeds are the intervals of moves over the rows.
func movesOverSeeds(rows []runs.Row, of func(runs.Row) runs.Moves) *runs.MovesCI95 {
	over := func(part func(runs.Moves) float64) [2]float64 {
		return overSeeds(rows, func(row runs.Row) float64 { return part(of(row)) })
	}
	return &runs.MovesCI95{
		RR:  over(func(m runs.Moves) float64 { return m.RR }),
		WR:  over(func(m runs.Moves) float64 { return m.WR }),
		RW:  over(func(m runs.Moves) float64 { return m.RW }),
		WW:  over(func(m runs.Moves) float64 { return m.WW }),
		Net: over(func(m runs.Moves) float64 { return m.Net }),
	}
}

// changes says what decides the numbers and became another in the middle of the run; empty: nothing did.
func changes(list []runs.Change) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nWhat decides the numbers was changed, and the change was accepted. All rows are measured with what was there last:\n\n")
	for _, c := range list {
		fmt.Fprintf(&b, "- after update %d: %s\n", c.Update, c)
	}
	return b.String()
}
