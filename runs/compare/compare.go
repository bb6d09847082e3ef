// Package compare says whether one system is better than another: it takes finished runs, puts those together that differ in their seeds
// alone, and tests every pair problem by problem.
//
//	compare.go  what is compared, and the comparison
//	read.go     runs and experiments with the scores of each problem
//	samples.go  pass@k of each problem
//	refuse.go   what cannot be compared, with the reason
//	tables.go   the comparison for a terminal, a paper and a spreadsheet
//	picture.go  the comparison as a picture
//
// The statistics are those of package eval: [eval.ComparePooled] and [eval.Holm].
package compare

import (
	"fmt"
	"slices"
	"strings"

	"parley/internal/seed"
	"parley/rl/eval"
	"parley/runs"
)

// A Row is how one system did: several runs that differ in their seeds, or one.
type Row struct {
	Run      string     `json:"run"`    // a name for the runs together
	System   string     `json:"system"` // whose scores are compared, such as trained
	Seeds    []int      `json:"seeds"`
	Dirs     []string   `json:"dirs"`
	Score    float64    `json:"score"` // mean over runs and problems
	CI95     [2]float64 `json:"ci95"`  // of Score
	PerSeed  []float64  `json:"per_seed"`
	Before   *float64   `json:"off_the_shelf,omitempty"`      // the untrained team's mean; absent: not measured, or it is the system
	Gain     *float64   `json:"gain,omitempty"`               // Score less that
	Tokens   float64    `json:"tokens_per_problem,omitempty"` // generated, mean over runs
	Problems int        `json:"problems"`

	scores eval.Pooled
	also   eval.Pooled         // by accuracy; without runs: it is not known of all
	passAt map[int]eval.Pooled // pass@k, by k
}

// A Difference compares two rows.
type Difference struct {
	A          string     `json:"a"`
	B          string     `json:"b"`
	Difference float64    `json:"difference"` // A's score less B's
	CI95       [2]float64 `json:"ci95"`
	P          float64    `json:"p"`      // two-sided, of the hypothesis that both are one
	PHolm      float64    `json:"p_holm"` // adjusted for all differences that are shown
}

// A Comparison is the result.
type Comparison struct {
	Task        string       `json:"task"`
	Metric      string       `json:"metric"`
	Measure     eval.Measure `json:"measure"` // of all rows and differences, but for Also and PassAt
	Problems    int          `json:"problems"`
	Method      string       `json:"method"` // of intervals and p-values, in words
	Rows        []Row        `json:"rows"`
	Differences []Difference `json:"differences"`
	Also        *Also        `json:"also,omitempty"`    // the same systems by accuracy, where their scores are something else
	PassAt      []PassAt     `json:"pass_at,omitempty"` // their pass@k, where all runs have measured it
}

// Also are the rows by another measure.
type Also struct {
	Metric      string       `json:"metric"`
	Rows        []Value      `json:"rows"`
	Differences []Difference `json:"differences"`
}

// PassAt are the rows by the probability that one of k samples solves a problem.
type PassAt struct {
	K           int          `json:"k"`
	Rows        []Value      `json:"rows"`
	Differences []Difference `json:"differences"`
}

// A Value is a row's number by another measure.
type Value struct {
	Run   string     `json:"run"`
	Value float64    `json:"value"`
	CI95  [2]float64 `json:"ci95"`
}

// Of compares the runs and experiments in dirs by the scores of one system; empty: of the trained teams, or of the untrained one in a run
// that trained nothing. A [*RefusedError] says that they cannot be compared.
func Of(dirs []string, system string) (*Comparison, error) {
	all, err := read(dirs, system)
	if err != nil {
		return nil, err
	}
	groups, err := pool(all)
	if err != nil {
		return nil, err
	}
	others, err := share(all)
	if err != nil {
		return nil, err
	}
	first := all[0].report
	c := &Comparison{Task: first.Task, Metric: all[0].measure.Name, Measure: all[0].measure, Problems: first.Problems - others, Method: method(groups)}
	if others > 0 {
		c.Method += fmt.Sprintf("; %d further problems are left out, which could not be scored in some run", others)
	}
	for _, g := range groups {
		c.Rows = append(c.Rows, g.row())
	}
	if c.Differences, err = c.differences(func(r Row) eval.Pooled { return r.scores }); err != nil {
		return nil, err
	}
	if all[0].accuracy != nil && !slices.ContainsFunc(all, func(o *one) bool { return o.accuracy == nil }) {
		c.Also = &Also{Metric: eval.Accuracy().Name}
		if c.Also.Rows, c.Also.Differences, err = c.by(func(r Row) eval.Pooled { return r.also }); err != nil {
			return nil, err
		}
	}
	for _, k := range sampled(all) {
		x := PassAt{K: k}
		if x.Rows, x.Differences, err = c.by(func(r Row) eval.Pooled { return r.passAt[k] }); err != nil {
			return nil, err
		}
		c.PassAt = append(c.PassAt, x)
	}
	return c, nil
}

// by compares the rows by other numbers of theirs.
func (c *Comparison) by(of func(Row) eval.Pooled) (values []Value, differences []Difference, err error) {
	for _, r := range c.Rows {
		x := of(r)
		ci := x.Interval(seed.Derive(0, "compare "+r.Run))
		values = append(values, Value{Run: r.Run, Value: x.Mean(), CI95: [2]float64{ci.Low, ci.High}})
	}
	differences, err = c.differences(of)
	return values, differences, err
}

// differences compares every two rows.
func (c *Comparison) differences(of func(Row) eval.Pooled) ([]Difference, error) {
	out := []Difference{}
	var p []float64
	for i, a := range c.Rows {
		for _, b := range c.Rows[i+1:] {
			d, err := eval.ComparePooled(of(a), of(b), seed.Derive(0, "compare "+a.Run+" "+b.Run))
			if err != nil {
				return nil, refuse("%s and %s: %v", a.Run, b.Run, err)
			}
			out = append(out, Difference{A: a.Run, B: b.Run, Difference: d.Mean, CI95: [2]float64{d.Interval.Low, d.Interval.High}, P: d.P})
			p = append(p, d.P)
		}
	}
	for i, adjusted := range eval.Holm(p) {
		out[i].PHolm = adjusted
	}
	return out, nil
}

// A group is the runs of one recipe.
type group struct {
	name string
	runs []*one
}

// pool puts runs together whose recipes differ in the seed alone, in the order in which they were named.
func pool(all []*one) ([]*group, error) {
	if err := comparable(all); err != nil {
		return nil, err
	}
	var out []*group
	byRecipe := map[string]*group{}
	for _, r := range all {
		g := byRecipe[r.recipe]
		if g == nil {
			g = &group{}
			byRecipe[r.recipe], out = g, append(out, g)
		}
		for _, other := range g.runs {
			if other.report.Seed == r.report.Seed {
				return nil, refuse("%s and %s are the same recipe with the same seed: the second adds nothing", other.dir, r.dir)
			}
		}
		g.runs = append(g.runs, r)
	}
	name(out)
	return out, nil
}

// name gives each group a name of its own: the variant or the recipe, or the folder where several are called the same or a group has one run.
func name(groups []*group) {
	used := map[string]int{}
	for _, g := range groups {
		g.name = g.runs[0].label
		if len(g.runs) == 1 {
			g.name = g.runs[0].folder()
		}
		used[g.name]++
	}
	for _, g := range groups {
		if used[g.name] > 1 {
			g.name = g.runs[0].dir
		}
	}
}

// row sums up a group.
func (g *group) row() Row {
	first := g.runs[0]
	r := Row{Run: g.name, System: first.system, Problems: len(first.scores), passAt: map[int]eval.Pooled{}}
	r.scores.Measure, r.also.Measure = first.measure, eval.Accuracy()
	before := 0.0
	trained := first.system != runs.OffTheShelf
	for _, x := range g.runs {
		r.Seeds, r.Dirs, r.scores.Runs = append(r.Seeds, x.report.Seed), append(r.Dirs, x.dir), append(r.scores.Runs, x.scores)
		r.also.Runs = append(r.also.Runs, x.accuracy)
		for k, values := range x.passAt {
			r.passAt[k] = eval.Pooled{Measure: eval.Solved(), Runs: append(r.passAt[k].Runs, values)}
		}
		row, _ := x.report.Row(x.system)
		r.PerSeed, r.Tokens = append(r.PerSeed, eval.Mean(x.scores)), r.Tokens+row.TokensPerProblem/float64(len(g.runs))
		untrained, measured := x.report.Row(runs.OffTheShelf)
		before += untrained.Score / float64(len(g.runs))
		trained = trained && measured && len(x.scores) == x.report.Problems && untrained.Unscored == 0 // else of other problems
	}
	r.Score = r.scores.Mean()
	ci := r.scores.Interval(seed.Derive(0, "compare "+r.Run))
	r.CI95 = [2]float64{ci.Low, ci.High}
	if trained {
		gain := r.Score - before
		r.Before, r.Gain = &before, &gain
	}
	return r
}

// method says how intervals and p-values come about.
func method(groups []*group) string {
	var single []string
	for _, g := range groups {
		if len(g.runs) == 1 {
			single = append(single, g.name)
		}
	}
	const several = "paired by problem; variance over problems and over seeds, Student's t with Satterthwaite's degrees of freedom"
	const one = "paired by problem: interval by bootstrap, p by permutation of the two scores of a problem"
	switch len(single) {
	case 0:
		return several
	case len(groups):
		return one + "; one run each, so other seeds may give other results"
	case 1:
		return several + "; nothing is known about other seeds of " + single[0]
	}
	return fmt.Sprintf("%s; between single runs %s; nothing is known about other seeds of %s", several, one, strings.Join(single, ", "))
}
