package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"parley/eval"
	"parley/runs"
)

// A Trial is one finished run of an experiment.
type Trial struct {
	Name    string // of the run, and of its folder in the experiment's
	Variant string
	Seed    int
	Report  runs.Report
}

// Means puts together the means over seeds of every variant's systems; recipe and seed are the experiment's. Trials of one variant stand
// together, in the order of the recipe.
func Means(recipe string, seed int, trials []Trial) (runs.Report, error) {
	first := trials[0].Report
	r := runs.Report{Recipe: recipe, Task: first.Task, Metric: first.Metric, Problems: first.Problems, Seed: seed}
	for _, t := range trials {
		one := t.Report
		r.Runs = append(r.Runs, t.Name)
		r.Updates, r.TrainSeconds, r.GeneratedTokens = r.Updates+one.Updates, r.TrainSeconds+one.TrainSeconds, r.GeneratedTokens+one.GeneratedTokens
		r.PredictedMemory, r.PeakMemory = max(r.PredictedMemory, one.PredictedMemory), max(r.PeakMemory, one.PeakMemory)
	}
	all := variants(trials)
	for _, v := range all {
		for _, system := range v.systems() {
			row, err := v.mean(system)
			if err != nil {
				return r, err
			}
			r.Rows = append(r.Rows, row)
		}
	}
	r.Seeds = all[0].seeds
	r.Gain, _ = eval.Student(all[0].of(func(one runs.Report) float64 { return one.Gain }))
	return r, nil
}

// ExperimentText is what a user reads at the end of an experiment whose means are r and whose runs lie in dir.
func ExperimentText(r runs.Report, trials []Trial, dir string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s: %s on %d held-out problems of task %s, %s", r.Recipe, r.Metric, r.Problems, r.Task, number(len(r.Runs), "run"))
	if len(r.Seeds) > 1 {
		fmt.Fprintf(&b, ", means over seeds %s ± half of their 95 %% interval", strings.Trim(fmt.Sprint(r.Seeds), "[]"))
	}
	b.WriteString("\n\n" + variantTable(r.Rows) + "\n")
	b.WriteString(gainTable(variants(trials)))
	b.WriteString(transitionTable(withVariant(r.Rows)) + conditionTable(withVariant(r.Rows)))
	fmt.Fprintf(&b, "\nThe runs lie in %s, a folder each.\n", dir)
	return b.String()
}

// withVariant puts the variant of each row before its system.
func withVariant(rows []runs.Row) []runs.Row {
	out := slices.Clone(rows)
	for i := range out {
		out[i].System = strings.TrimSpace(out[i].Variant + " " + out[i].System)
	}
	return out
}

// conditionTable prints the moves that incentives are about, as shares of all answers: answer before, answer after, and majority of the
// others before; then majority of the others before, after, and answer before (maporl.md §8.3).
func conditionTable(rows []runs.Row) string {
	return overTurns(rows, "\nMoves by what the others said (shares of all answers; RWR: right before, wrong after, the others' majority right before):\n\n",
		"system\tturns\tletters\tRWR\tRWW\tWRW\tWRR\tΔ0\tΔ1", func(r runs.Row, row func(string, ...any)) {
			for _, t := range r.Transitions {
				for _, x := range []struct {
					letters string
					c       runs.Conditioned
				}{{"own", t.Own.Joint}, {"influence", t.Influence.Joint}} {
					cells := []any{r.System, t.FromTurn, t.ToTurn, x.letters}
					for _, v := range []*float64{x.c.RWR, x.c.RWW, x.c.WRW, x.c.WRR, x.c.Delta0, x.c.Delta1} {
						cells = append(cells, share(v))
					}
					row("%s\t%d → %d\t%s\t%s\t%s\t%s\t%s\t%s\t%s", cells...)
				}
			}
		})
}

// share prints a share that may be absent.
func share(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.4f", *v)
}

// variantTable prints the systems of all variants, turn by turn.
func variantTable(rows []runs.Row) string {
	return aligned("variant\tsystem\tper turn\ttokens/problem", func(row func(string, ...any)) {
		for _, r := range rows {
			turns := make([]string, len(r.PerTurn))
			for t, score := range r.PerTurn {
				turns[t] = fmt.Sprintf("%.3f", score)
				if t < len(r.PerTurnCI95) {
					turns[t] += fmt.Sprintf(" ± %.3f", (r.PerTurnCI95[t][1]-r.PerTurnCI95[t][0])/2)
				}
			}
			row("%s\t%s\t%s\t%.1f", r.Variant, r.System, strings.Join(turns, " → "), r.TokensPerProblem)
		}
	})
}

// gainTable prints what training changed in every turn, seed by seed the same team before and after; nothing where nothing was trained.
func gainTable(variants []*variant) string {
	some := false
	table := aligned("variant\tper turn", func(row func(string, ...any)) {
		for _, v := range variants {
			if turns := v.gains(); len(turns) > 0 {
				some = true
				row("%s\t%s", v.name, strings.Join(turns, "   "))
			}
		}
	})
	if !some {
		return ""
	}
	return "Trained less off-the-shelf:\n\n" + table
}

// gainAt is what training changed in one turn; NaN where it was not measured.
func gainAt(r runs.Report, turn int) float64 {
	before, untrained := r.Row(runs.OffTheShelf)
	after, trained := r.Row(runs.Trained)
	if !untrained || !trained || turn >= min(len(before.PerTurn), len(after.PerTurn)) {
		return math.NaN()
	}
	return after.PerTurn[turn] - before.PerTurn[turn]
}

// number counts things: 1 run, 2 runs.
func number(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
