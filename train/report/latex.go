package report

import (
	"fmt"
	"strings"

	"parley/internal/table"
	"parley/runs"
)

// LaTeX is what a paper shows of a report: the table of its systems, and the differences between them where they were compared. The tables
// need the package booktabs.
func LaTeX(r runs.Report) string {
	main := systems(r)
	main.Title = fmt.Sprintf("%s of %s on %d held-out problems of task %s, seed %s", table.Capital(by(r)), r.Recipe, r.Problems, r.Task, seeds(r))
	if len(r.Runs) > 0 {
		main = variantSystems(r)
		main.Title = fmt.Sprintf("%s of %s %s", table.Capital(by(r)), r.Recipe, strings.TrimPrefix(measured(r), by(r)+" "))
	}
	tables := main.LaTeX(r.Recipe)
	if differences := comparisons(r.Comparisons); !differences.Empty() {
		tables += "\n" + differences.LaTeX(r.Recipe+"-differences")
	}
	for i, t := range also(r) {
		if !t.Empty() {
			tables += "\n" + t.LaTeX(fmt.Sprintf("%s-also-%d", r.Recipe, i+1))
		}
	}
	return "% needs \\usepackage{booktabs}\n" + tables
}
