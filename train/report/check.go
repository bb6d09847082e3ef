package report

import (
	"errors"
	"fmt"
	"slices"

	"parley/runs"
)

// Check says what is wrong with the report of a run that was read from a file and is to be put together with others; nil: nothing.
func Check(r runs.Report) error {
	if len(r.Rows) == 0 {
		return errors.New("the report has no rows")
	}
	rows := r.Rows
	for a := r.Also; a != nil; a = a.Also {
		if a.Measure == nil || len(a.Rows) == 0 {
			return fmt.Errorf("the report's table of %q has no measure or no rows", a.Metric)
		}
		rows = slices.Concat(rows, a.Rows)
	}
	for _, row := range rows {
		turns := len(row.PerTurn)
		if row.System == "" || turns == 0 || !forEach(len(row.PerTurnCI95), turns) || !forEach(len(row.Turns), turns) || !forEach(len(row.Transitions), turns-1) {
			return fmt.Errorf("the report's row %q does not have one value for each turn", row.System)
		}
	}
	return nil
}

// forEach reports whether a list has something for each of n, or nothing.
func forEach(length, n int) bool { return length == 0 || length == n }
