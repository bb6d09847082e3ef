package study

import (
	"fmt"
	"maps"
	"slices"

	"parley/rl/eval"
	"parley/runs"
)

// A Mean is a number of a cell: its mean over seeds and the interval of that.
type Mean struct {
	Mean float64    `json:"mean"`
	CI95 [2]float64 `json:"ci95"`
}

// A Cell is what came of one.
type cell struct {
	Cell    string          `json:"cell"`
	Seeds   []int           `json:"seeds"`  // of finished runs
	Tokens  [2]int          `json:"tokens"` // generated in training: the fewest and the most of a run
	Metrics map[string]Mean `json:"metrics,omitempty"`
	Systems map[string]Mean `json:"systems,omitempty"`
}

// A Difference is a number of A less the same of B, seed by seed.
type difference struct {
	Metric     string      `json:"metric"`
	A          string      `json:"a"`
	B          string      `json:"b"` // a cell, or a system beside the team of A
	Seeds      int         `json:"seeds"`
	Difference float64     `json:"difference"`
	CI95       *[2]float64 `json:"ci95,omitempty"` // absent: there is one seed
	P          *float64    `json:"p,omitempty"`
	PHolm      *float64    `json:"p_holm,omitempty"` // adjusted for all differences of the metric
}

// Results are what a study found.
type Results struct {
	Study       string       `json:"study"`
	Question    string       `json:"question"`
	Budgets     []int        `json:"budgets"` // in tokens; empty: each recipe's own
	Cells       []cell       `json:"cells"`
	Differences []difference `json:"differences"`
	LeftOut     []Reason     `json:"left_out"`
	Failed      []Row        `json:"failed"`
	Missing     int          `json:"missing"` // runs that have not been done

	study *Study
	rows  []Row
}

// Of puts the rows of a study together. Rows of cells or seeds that the study does not have count for nothing.
func Of(s *Study, p *Plan, rows []Row) *Results {
	r := &Results{Study: s.Name, Question: s.Question, Budgets: append([]int{}, s.Tokens...), Differences: []difference{}, LeftOut: append([]Reason{}, p.LeftOut...), Failed: []Row{}, study: s}
	for _, run := range p.Runs {
		i := slices.IndexFunc(rows, func(row Row) bool { return row.Cell == run.Cell && row.Seed == run.Seed })
		switch {
		case i < 0:
			r.Missing++
		case rows[i].Failed != "":
			r.Failed = append(r.Failed, rows[i])
		default:
			r.rows = append(r.rows, rows[i])
		}
	}
	for _, c := range p.Cells {
		r.Cells = append(r.Cells, r.cell(c.Name))
	}
	for _, name := range s.AllMetrics() {
		r.test(name, p)
	}
	return r
}

// cell puts the seeds of a cell together.
func (r *Results) cell(name string) cell {
	rows := r.of(name)
	c := cell{Cell: name, Seeds: []int{}, Metrics: map[string]Mean{}, Systems: map[string]Mean{}}
	for i, row := range rows {
		c.Seeds = append(c.Seeds, row.Seed)
		if c.Tokens[1] = max(c.Tokens[1], row.Tokens); i == 0 || row.Tokens < c.Tokens[0] {
			c.Tokens[0] = row.Tokens
		}
	}
	if len(rows) == 0 {
		return c
	}
	for _, row := range rows {
		for metric := range row.Metrics {
			c.Metrics[metric] = mean(rows, func(row Row) map[string]float64 { return row.Metrics }, metric)
		}
		for system := range row.Systems {
			c.Systems[system] = mean(rows, func(row Row) map[string]float64 { return row.Systems }, system)
		}
	}
	return c
}

// Lacking are the metrics of the study that no finished run has.
func (r *Results) Lacking() (list []string) {
	for _, m := range r.study.AllMetrics() {
		if len(r.rows) > 0 && !slices.ContainsFunc(r.rows, func(row Row) bool { _, has := row.Metrics[m]; return has }) {
			list = append(list, m)
		}
	}
	return list
}

// NoCurve says that the study draws a curve, and no finished run has a point of it.
func (r *Results) NoCurve() bool {
	return r.study.Curve != "none" && len(r.rows) > 0 && !slices.ContainsFunc(r.rows, func(row Row) bool { return len(row.Curve) > 0 })
}

// of lists the finished runs of a cell.
func (r *Results) of(cell string) (list []Row) {
	for _, row := range r.rows {
		if row.Cell == cell {
			list = append(list, row)
		}
	}
	return list
}

// mean is that of the rows that have the number.
func mean(rows []Row, of func(Row) map[string]float64, name string) Mean {
	var values []float64
	for _, row := range rows {
		if x, has := of(row)[name]; has {
			values = append(values, x)
		}
	}
	centre, ci := eval.Student(values)
	return Mean{centre, [2]float64{ci.Low, ci.High}}
}

// test compares a metric in all pairs of the study; scores also with those of the systems beside each team.
func (r *Results) test(metric string, p *Plan) {
	var list []difference
	for _, pair := range r.study.Pairs {
		for _, ab := range p.Tested(pair) {
			list = r.difference(list, metric, p.Cells[ab[0]].Name, p.Cells[ab[1]].Name)
		}
	}
	if metric == "score" {
		for _, c := range p.Cells {
			for _, system := range r.beside() {
				list = r.against(list, c.Name, system)
			}
		}
	}
	var ps []float64
	for _, d := range list {
		if d.P != nil {
			ps = append(ps, *d.P)
		}
	}
	holm := eval.Holm(ps)
	for i := range list {
		if list[i].P != nil {
			list[i].PHolm, holm = &holm[0], holm[1:]
		}
	}
	r.Differences = append(r.Differences, list...)
}

// difference adds that of two cells, seeds put in pairs. Scores of other problems, or of another kind, are not compared.
func (r *Results) difference(list []difference, metric, a, b string) []difference {
	var first, second []float64
	for _, x := range r.of(a) {
		for _, y := range r.of(b) {
			scored := metric == "score" || metric == "gain" || metric == "return"
			if x.Seed != y.Seed || scored && (x.Metric != y.Metric || x.Problems != y.Problems) {
				continue
			}
			one, has := x.Metrics[metric]
			if two, both := y.Metrics[metric]; has && both {
				first, second = append(first, one), append(second, two)
			}
		}
	}
	return tested(list, difference{Metric: metric, A: a, B: b}, first, second)
}

// beside lists the systems that runs measured beside their teams, but for the untrained one, which gain is about.
func (r *Results) beside() []string {
	list := slices.Clone(r.study.Baselines)
	for _, row := range r.rows {
		for _, system := range slices.Sorted(maps.Keys(row.Systems)) {
			if system != runs.OffTheShelf && !slices.Contains(list, system) {
				list = append(list, system)
			}
		}
	}
	return list
}

// against adds that of the trained teams of a cell and another system, which answered the same problems.
func (r *Results) against(list []difference, cell, system string) []difference {
	var first, second []float64
	for _, row := range r.of(cell) {
		one, has := row.Metrics["score"]
		if score, ok := row.Systems[system]; ok && has {
			first, second = append(first, one), append(second, score)
		}
	}
	return tested(list, difference{Metric: "score", A: cell, B: system}, first, second)
}

// tested adds d with its statistics; without any pair of runs, nothing.
func tested(list []difference, d difference, a, b []float64) []difference {
	if len(a) == 0 {
		return list
	}
	x := eval.PairedBySeed(a, b)
	d.Seeds, d.Difference = len(a), x.Mean
	if len(a) > 1 {
		d.CI95, d.P = &[2]float64{x.Interval.Low, x.Interval.High}, &x.P
	}
	return append(list, d)
}

// budget says what all runs were given.
func (r *Results) budget() string {
	if len(r.Budgets) == 0 {
		return "each run trains as long as its recipe says"
	}
	return fmt.Sprintf("each run trains until it has generated %s tokens, behind the update that reaches them", join(r.Budgets))
}
