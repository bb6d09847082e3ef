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
	fmt.Fprintf(&b, "%s on the same %d held-out problems of task %s\n", c.Metric, c.Problems, c.Task)
	b.WriteString(c.rows().Text() + c.pairs().Text())
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
	pairs := c.pairs()
	pairs.Note += "; " + c.Method
	return "% needs \\usepackage{booktabs}\n" + rows.LaTeX("compare") + "\n" + pairs.LaTeX("compare-differences")
}

func (c *Comparison) rows() *table.Table {
	t := &table.Table{Title: "Scores", Head: []string{"run", "system", "seeds", "score", "95 % interval", "untrained", "gain"}}
	for _, r := range c.Rows {
		t.Add(r.Run, r.System, ints(r.Seeds), fmt.Sprintf("%.3f", r.Score), fmt.Sprintf("%.3f to %.3f", r.CI95[0], r.CI95[1]), optional("%.3f", r.Before), optional("%+.3f", r.Gain))
	}
	return t
}

func (c *Comparison) pairs() *table.Table {
	t := &table.Table{Title: "Differences", Note: "the first run's score less the second's", Head: []string{"runs", "difference", "95 % interval", "p", "p (Holm)"}}
	for _, d := range c.Differences {
		t.Add(d.A+" - "+d.B, fmt.Sprintf("%+.3f", d.Difference), fmt.Sprintf("%+.3f to %+.3f", d.CI95[0], d.CI95[1]), table.PValue(d.P), table.PValue(d.PHolm))
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
	return t.CSV()
}

func exact(x float64) string { return strconv.FormatFloat(x, 'g', 10, 64) }

func ints(xs []int) string { return strings.Trim(fmt.Sprint(xs), "[]") }

func optional(format string, x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf(format, *x)
}
