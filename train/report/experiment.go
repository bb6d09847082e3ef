package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"parley/internal/table"
	"parley/rl/eval"
	"parley/runs"
	"parley/train/failures"
)

// A Trial is one finished run of an experiment.
type Trial struct {
	Name    string // of the run, and of its folder in the experiment's
	Variant string
	Seed    int
	Report  runs.Report
}

// A part are the trials with the rows that one measure has.
type part struct {
	by     eval.Measure
	trials []Trial
}

// parts divides the rows of trials by their measures, that of the first trial first: variants may be rewarded, and so measured, differently.
func parts(trials []Trial) []*part {
	var out []*part
	add := func(by eval.Measure, t Trial) {
		i := slices.IndexFunc(out, func(p *part) bool { return p.by == by })
		if i < 0 {
			i, out = len(out), append(out, &part{by: by})
		}
		out[i].trials = append(out[i].trials, t)
	}
	for _, t := range trials {
		by, _ := t.Report.MeasuredBy()
		add(by, t)
		for a := t.Report.Also; a != nil; a = a.Also {
			other := t
			other.Report.Rows = a.Rows
			add(*a.Measure, other)
		}
	}
	return out
}

// means are the rows of a part, over seeds.
func (p *part) means() (rows []runs.Row, err error) {
	for _, v := range variants(p.trials) {
		for _, system := range v.systems() {
			row, err := v.mean(system)
			if err != nil {
				return nil, err
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// Means puts together the means over seeds of every variant's systems, a table for each measure; recipe and seed are the experiment's. Trials of one
// variant stand together, in the order of the recipe.
func Means(recipe string, seed int, trials []Trial) (runs.Report, error) {
	first := trials[0].Report
	r := runs.Report{Recipe: recipe, Task: first.Task, Metric: first.Metric, Measure: first.Measure, Problems: first.Problems, Overlap: first.Overlap, Seed: seed}
	r.ProblemsSHA256, r.Ruler = first.ProblemsSHA256, first.Ruler
	var failed failures.Sum
	for _, t := range trials {
		one := t.Report
		r.Runs = append(r.Runs, t.Name)
		r.Updates, r.TrainSeconds, r.GeneratedTokens = r.Updates+one.Updates, r.TrainSeconds+one.TrainSeconds, r.GeneratedTokens+one.GeneratedTokens
		failed.Add(failures.Sum{Problems: one.Failed, Episodes: one.FailedEpisodes, Reasons: one.FailedReasons})
		r.PredictedMemory, r.PeakMemory = max(r.PredictedMemory, one.PredictedMemory), max(r.PeakMemory, one.PeakMemory)
	}
	r.Failed, r.FailedEpisodes, r.FailedReasons = failed.Problems, failed.Episodes, failed.Reasons
	further := &r.Also
	for i, p := range parts(trials) {
		rows, err := p.means()
		if err != nil {
			return r, err
		}
		if i == 0 {
			r.Rows = rows
			continue
		}
		*further = &runs.Also{Metric: p.by.Name, Measure: &p.by, Rows: rows}
		further = &(*further).Also
	}
	all := variants(trials)
	r.Seeds = all[0].seeds
	r.Gain, _ = eval.Student(all[0].of(func(one runs.Report) float64 { return one.Gain }))
	return r, nil
}

// ExperimentText is what a user reads at the end of an experiment whose means are r and whose runs lie in dir.
func ExperimentText(r runs.Report, trials []Trial, dir string) string {
	var b strings.Builder
	for _, t := range experimentDetails(r, trials) {
		b.WriteString(t.Text())
	}
	fmt.Fprintf(&b, "\nThe runs lie in %s, a folder each.\n", dir)
	fmt.Fprintf(&b, "\n%s: %s\n\n%s", r.Recipe, measured(r), variantSystems(r).Text())
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

// measured says what the rows of an experiment are.
func measured(r runs.Report) string {
	s := fmt.Sprintf("%s on %d held-out problems of task %s, %s", by(r), r.Problems, r.Task, counted(len(r.Runs), "run"))
	if len(r.Seeds) > 1 {
		s += fmt.Sprintf(", means over seeds %s ± half of their 95 %% interval", strings.Trim(fmt.Sprint(r.Seeds), "[]"))
	}
	return s
}

// experimentDetails are the tables below the first one, those without rows too.
func experimentDetails(r runs.Report, trials []Trial) []*table.Table {
	rows := withVariant(r.Rows)
	var list []*table.Table
	for i, p := range parts(trials) {
		t := gains(variants(p.trials))
		if i > 0 {
			t.Title += ": " + p.by.Name
		}
		list = append(list, t)
	}
	list = append(append(list, also(r)...), played(rows), unscored(r))
	return append(list, transitions(rows), conditions(rows))
}

// conditions are the moves that incentives are about, as shares of all answers: answer before, answer after, and majority of the
// others before; then majority of the others before, after, and answer before (maporl.md §8.3).
func conditions(rows []runs.Row) *table.Table {
	t := &table.Table{
		Title: "Moves by what the others said", Note: "shares of all answers; RWR: right before, wrong after, the others' majority right before",
		Head: []string{"system", "turns", "letters", "RWR", "RWW", "WRW", "WRR", "Δ0", "Δ1"},
	}
	for _, r := range severalTurns(rows) {
		for _, x := range r.Transitions {
			t.Add(append([]string{r.System, between(x), "own"}, conditionCells(x.Own.Joint)...)...)
			t.Add(append([]string{r.System, between(x), "influence"}, conditionCells(x.Influence.Joint)...)...)
		}
	}
	return t
}

// conditionCells are shares that may be absent.
func conditionCells(c runs.Conditioned) []string {
	var cells []string
	for _, v := range []*float64{c.RWR, c.RWW, c.WRW, c.WRR, c.Delta0, c.Delta1} {
		if v == nil {
			cells = append(cells, "-")
		} else {
			cells = append(cells, table.Fixed(*v, 4))
		}
	}
	return cells
}

// variantSystems is the table of the systems of all variants, turn by turn.
func variantSystems(report runs.Report) *table.Table {
	rows := report.Rows
	t := &table.Table{Head: []string{"variant", "system", report.Metric + " per turn", "tokens/problem"}}
	for _, r := range rows {
		turns := numbers(r.PerTurn)
		for i := range min(len(turns), len(r.PerTurnCI95)) {
			turns[i] += half(r.PerTurnCI95[i])
		}
		t.Add(r.Variant, r.System, strings.Join(turns, " → "), fmt.Sprintf("%.1f", r.TokensPerProblem))
	}
	return withUnscored(withOwn(t, rows), rows)
}

// gains is what training changed in every turn, seed by seed the same team before and after; no rows where nothing was trained.
func gains(variants []*variant) *table.Table {
	t := &table.Table{Title: "Trained less off-the-shelf", Head: []string{"variant", "per turn"}}
	for _, v := range variants {
		if turns := v.gains(); len(turns) > 0 {
			t.Add(v.name, strings.Join(turns, "   "))
		}
	}
	return t
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

// counted is a number of things: 1 run, 2 runs.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
