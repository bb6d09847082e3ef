package study

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"parley/internal/table"
	"parley/runs"
)

// Text is what a terminal shows.
func (r *Results) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", r.Study, strings.TrimSpace(r.Question))
	for _, t := range r.tables() {
		b.WriteString(t.Text())
	}
	fmt.Fprintf(&b, "\n%s\n", r.method())
	return b.String()
}

// Markdown is the same for a document.
func (r *Results) Markdown() string {
	var b strings.Builder
	for i, t := range r.tables() {
		if t.Empty() {
			continue
		}
		if i > 0 {
			fmt.Fprintf(&b, "\n%s:\n\n", table.EscapeMarkdown(t.Title))
		}
		t.Title, t.Note = "", ""
		b.WriteString(t.Markdown())
	}
	return b.String() + "\n" + table.EscapeMarkdown(r.method()) + "\n"
}

// LaTeX is the same for a paper.
func (r *Results) LaTeX() string {
	var b strings.Builder
	b.WriteString("% needs \\usepackage{booktabs}\n")
	for i, t := range r.tables() {
		b.WriteString(t.LaTeX(fmt.Sprintf("%s-%d", r.Study, i+1)))
	}
	return b.String() + "% " + r.method() + "\n"
}

// CSV has a line for every number of every run.
func (r *Results) CSV() []byte {
	t := &table.Table{Head: []string{"study", "cell", "seed", "tokens", "updates", "kind", "name", "value"}}
	for _, row := range r.rows {
		line := func(kind, name string, x float64) {
			t.Add(r.Study, row.Cell, strconv.Itoa(row.Seed), strconv.Itoa(row.Tokens), strconv.Itoa(row.Updates), kind, name, strconv.FormatFloat(x, 'g', -1, 64))
		}
		for _, m := range r.study.AllMetrics() {
			if x, has := row.Metrics[m]; has {
				line("metric", m, x)
			}
		}
		for _, s := range slices.Sorted(maps.Keys(row.Systems)) {
			line("score", s, row.Systems[s])
		}
	}
	return t.CSV()
}

// tables are those that every form shows.
func (r *Results) tables() []*table.Table {
	return []*table.Table{r.cells(), r.systems(), r.differences(), r.leftOut(), r.failures()}
}

// cells is the table of what the teams of each cell did.
func (r *Results) cells() *table.Table {
	t := &table.Table{Title: "Trained teams", Note: "mean ± half of the 95 % interval over seeds", Head: []string{"cell", "runs", "tokens"}}
	for _, m := range r.study.AllMetrics() {
		t.Head = append(t.Head, heading(m))
	}
	by := r.measures()
	if by != nil {
		t.Head = append(t.Head, "measure of the score")
	}
	for _, c := range r.Cells {
		cells := []string{c.Cell, strconv.Itoa(len(c.Seeds)), span(c.Tokens)}
		for _, m := range r.study.AllMetrics() {
			cells = append(cells, shown(m, c.Metrics, m))
		}
		if by != nil {
			cells = append(cells, by[c.Cell])
		}
		t.Add(cells...)
	}
	return t
}

// measures say by what each cell was measured; nil: all by the same.
func (r *Results) measures() map[string]string {
	by, several := map[string]string{}, false
	for _, row := range r.rows {
		if row.Metric != "" {
			by[row.Cell], several = row.Metric, several || row.Metric != cmp.Or(by[""], row.Metric)
			by[""] = cmp.Or(by[""], row.Metric)
		}
	}
	if !several {
		return nil
	}
	return by
}

// systems is the table of the scores beside them.
func (r *Results) systems() *table.Table {
	t := &table.Table{Title: "Scores beside the trained teams", Note: "mean ± half of the 95 % interval over seeds", Head: []string{"cell", runs.OffTheShelf}}
	t.Head = append(t.Head, r.beside()...)
	for _, c := range r.Cells {
		cells := []string{c.Cell}
		for _, system := range t.Head[1:] {
			cells = append(cells, shown("score", c.Systems, system))
		}
		t.Add(cells...)
	}
	return t
}

func (r *Results) differences() *table.Table {
	t := &table.Table{Title: "Differences", Note: "seed by seed", Head: []string{"number", "of", "less", "runs", "difference", "95 % interval", "p", "p (Holm)"}}
	for _, d := range r.Differences {
		ci, p, holm := "-", "-", "-"
		if d.CI95 != nil {
			ci = fmt.Sprintf("%s to %s", signed(d.Metric, d.CI95[0]), signed(d.Metric, d.CI95[1]))
			p, holm = table.PValue(*d.P), table.PValue(*d.PHolm)
		}
		t.Add(heading(d.Metric), d.A, d.B, strconv.Itoa(d.Seeds), signed(d.Metric, d.Difference), ci, p, holm)
	}
	return t
}

func (r *Results) leftOut() *table.Table {
	t := &table.Table{Title: "Not run", Head: []string{"cell", "why"}}
	for _, one := range r.LeftOut {
		t.Add(one.Cells, one.Why)
	}
	return t
}

func (r *Results) failures() *table.Table {
	t := &table.Table{Title: "Failed", Head: []string{"cell", "seed", "why"}}
	for _, row := range r.Failed {
		t.Add(row.Cell, strconv.Itoa(row.Seed), row.Failed)
	}
	return t
}

// method says what the numbers are.
func (r *Results) method() string {
	s := table.Capital(r.budget()) + ". Intervals are Student's over seeds; differences are paired by seed, p is that of a paired t test"
	if len(r.Differences) > 1 {
		s += ", p (Holm) is adjusted for all differences of one number"
	}
	if r.Missing > 0 {
		s += fmt.Sprintf(". %d runs are missing", r.Missing)
	}
	return s + "."
}

// heading is a metric with its unit.
func heading(metric string) string {
	switch metric {
	case "memory":
		return "memory, MiB"
	case "seconds":
		return "seconds of training"
	}
	return metric
}

// places are how many digits behind the point a metric is shown with.
func places(metric string) int {
	switch metric {
	case "seconds":
		return 1
	case "memory", "tokens", "updates", "tokens_per_problem", "latency_tokens":
		return 0
	}
	return 3
}

// shown is a mean with half of its interval.
func shown(metric string, of map[string]Mean, name string) string {
	m, ok := of[name]
	if !ok {
		return "-"
	}
	text := strconv.FormatFloat(m.Mean, 'f', places(metric), 64)
	if half := (m.CI95[1] - m.CI95[0]) / 2; half > 0 {
		text += " ± " + strconv.FormatFloat(half, 'f', places(metric), 64)
	}
	return text
}

func signed(metric string, x float64) string {
	return table.SignedFixed(x, places(metric))
}

func span(tokens [2]int) string {
	if tokens[0] == tokens[1] {
		return strconv.Itoa(tokens[0])
	}
	return fmt.Sprintf("%d to %d", tokens[0], tokens[1])
}

func join(list []int) string {
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(list), "[]")), " or ")
}
