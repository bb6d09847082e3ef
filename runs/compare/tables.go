package compare

import (
	"fmt"
	"strconv"
	"strings"

	"parley/internal/table"
)

// Text is the comparison for a terminal.
func (c *Comparison) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v on the same %d held-out problems of task %s\n", c.Measure, c.Problems, c.Task)
	for _, t := range c.tables() {
		b.WriteString(t.Text())
	}
	fmt.Fprintf(&b, "\nMethod: %s.\n", c.Method)
	if len(c.Differences) > 1 {
		fmt.Fprintf(&b, "p (Holm) is adjusted for all %d differences.\n", len(c.Differences))
	}
	return b.String()
}

// LaTeX is the comparison as tables for a paper.
func (c *Comparison) LaTeX() string {
	rows := c.rows()
	rows.Title = fmt.Sprintf("%s on %d held-out problems of task %s", table.Capital(c.Metric), c.Problems, c.Task)
	pairs := differences("Differences", "score", c.Differences)
	pairs.Note += "; " + c.Method
	out := "% needs \\usepackage{booktabs}\n" + rows.LaTeX("compare") + "\n" + pairs.LaTeX("compare-differences")
	for i, t := range c.further() {
		out += "\n" + t.LaTeX(fmt.Sprintf("compare-%d", i+1))
	}
	return out
}

// tables are those of the comparison, the main one first. Each is of one measure.
func (c *Comparison) tables() []*table.Table {
	return append([]*table.Table{c.rows(), differences("Differences", "score", c.Differences)}, c.further()...)
}

// further are the tables of other measures.
func (c *Comparison) further() (out []*table.Table) {
	if c.Also != nil {
		out = append(out, values("The same systems by "+c.Also.Metric, c.Also.Metric, c.Also.Rows), differences("Differences in "+c.Also.Metric, c.Also.Metric, c.Also.Differences))
	}
	for _, x := range c.PassAt {
		name := fmt.Sprintf("pass@%d", x.K)
		out = append(out, values(name+" by joint samples", name, x.Rows), differences("Differences in "+name, name, x.Differences))
	}
	return out
}

func values(title, head string, list []Value) *table.Table {
	t := &table.Table{Title: title, Head: []string{"run", head, "95 % interval"}}
	for _, v := range list {
		t.Add(v.Run, table.Number(v.Value), table.Interval(v.CI95))
	}
	return t
}

func (c *Comparison) rows() *table.Table {
	t := &table.Table{Title: "Scores", Head: []string{"run", "system", "seeds", c.Metric, "95 % interval", "untrained", "gain"}}
	for _, r := range c.Rows {
		t.Add(r.Run, r.System, ints(r.Seeds), table.Number(r.Score), table.Interval(r.CI95), optional(table.Number, r.Before), optional(table.Signed, r.Gain))
	}
	return t
}

func differences(title, of string, list []Difference) *table.Table {
	t := &table.Table{Title: title, Note: "the first run's " + of + " less the second's", Head: []string{"runs", "difference", "95 % interval", "p", "p (Holm)"}}
	for _, d := range list {
		t.Add(d.A+" - "+d.B, table.Signed(d.Difference), table.SignedInterval(d.CI95), table.PValue(d.P), table.PValue(d.PHolm))
	}
	return t
}

// CSV has a line for each score and for each difference.
func (c *Comparison) CSV() []byte {
	t := &table.Table{Head: []string{"kind", "a", "b", "system", "seeds", "problems", "value", "ci95_low", "ci95_high", "p", "p_holm"}}
	problems := strconv.Itoa(c.Problems)
	for _, r := range c.Rows {
		t.Add("score", r.Run, "", r.System, ints(r.Seeds), problems, exact(r.Score), exact(r.CI95[0]), exact(r.CI95[1]), "", "")
	}
	for _, d := range c.Differences {
		t.Add("difference", d.A, d.B, "", "", problems, exact(d.Difference), exact(d.CI95[0]), exact(d.CI95[1]), exact(d.P), exact(d.PHolm))
	}
	add := func(kind string, rows []Value, list []Difference) {
		for _, v := range rows {
			t.Add(kind, v.Run, "", "", "", problems, exact(v.Value), exact(v.CI95[0]), exact(v.CI95[1]), "", "")
		}
		for _, d := range list {
			t.Add(kind+" difference", d.A, d.B, "", "", problems, exact(d.Difference), exact(d.CI95[0]), exact(d.CI95[1]), exact(d.P), exact(d.PHolm))
		}
	}
	if c.Also != nil {
		add(c.Also.Metric, c.Also.Rows, c.Also.Differences)
	}
	for _, x := range c.PassAt {
		add(fmt.Sprintf("pass@%d", x.K), x.Rows, x.Differences)
	}
	return t.CSV()
}

func exact(x float64) string { return strconv.FormatFloat(x, 'g', 10, 64) }

func ints(xs []int) string { return strings.Trim(fmt.Sprint(xs), "[]") }

func optional(show func(float64) string, x *float64) string {
	if x == nil {
		return "-"
	}
	return show(*x)
}
