package train

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"parley/runs"
)

// comparisons prints what the team gains over every other system, problem by problem.
func comparisons(list []runs.Comparison) string {
	if len(list) == 0 {
		return ""
	}
	return "\nDifferences on the same problems (interval by bootstrap, p by permutation):\n\n" + aligned("systems\tdifference\t95 % interval\tp", func(row func(string, ...any)) {
		for _, c := range list {
			row("%s - %s\t%+.3f\t%+.3f to %+.3f\t%.4f", c.System, c.Against, c.Difference, c.CI95[0], c.CI95[1], c.P)
		}
	})
}

// turnTable prints how the systems of several turns did after each.
func turnTable(rows []runs.Row) string {
	return overTurns(rows, "\nAfter every turn:\n\n", "system\tturn\tvoted\t95 % interval\tsingle answer\tunparseable\textracted\tflagged", func(r runs.Row, row func(string, ...any)) {
		for _, t := range r.Turns {
			row("%s\t%d\t%.3f\t%.3f to %.3f\t%.3f\t%.3f\t%.3f\t%.3f", r.System, t.Turn, t.Voted, t.CI95[0], t.CI95[1], t.SingleAnswer, t.Unparseable, t.Extracted, t.Flagged)
		}
	})
}

// transitionTable prints how the results of these systems moved: R is right, W wrong, the first letter is the earlier turn's.
func transitionTable(rows []runs.Row) string {
	return overTurns(rows, "\nFrom turn to turn (shares; RW: right before, wrong after):\n\n", "system\tturns\tof\tRR\tWR\tRW\tWW\tnet", func(r runs.Row, row func(string, ...any)) {
		for _, t := range r.Transitions {
			for _, x := range []struct {
				of string
				m  runs.Moves
			}{{"answers", t.Answers}, {"votes", t.Votes}} {
				row("%s\t%d → %d\t%s\t%s", r.System, t.FromTurn, t.ToTurn, x.of, strings.Join(moveCells(x.m), "\t"))
			}
		}
	})
}

// moveCells are the shares of a transition, RR, WR, RW, WW and net, over seeds with half of their intervals.
func moveCells(m runs.Moves) []string {
	cells := []string{fmt.Sprintf("%.3f", m.RR), fmt.Sprintf("%.3f", m.WR), fmt.Sprintf("%.3f", m.RW), fmt.Sprintf("%.3f", m.WW), fmt.Sprintf("%+.3f", m.Net)}
	if m.CI95 != nil {
		for i, ci := range [][2]float64{m.CI95.RR, m.CI95.WR, m.CI95.RW, m.CI95.WW, m.CI95.Net} {
			cells[i] += fmt.Sprintf(" ± %.3f", (ci[1]-ci[0])/2)
		}
	}
	return cells
}

// lone prints how policies answer without history.
func lone(list []runs.LoneScore) string {
	if len(list) == 0 {
		return ""
	}
	return "\nOne answer without history:\n\n" + aligned("policy\tscore\t95 % interval", func(row func(string, ...any)) {
		for _, x := range list {
			row("%s\t%.3f\t%.3f to %.3f", x.Policy, x.Score, x.CI95[0], x.CI95[1])
		}
	})
}

// overTurns makes a table of the systems that have several turns; none: nothing.
func overTurns(rows []runs.Row, title, head string, each func(r runs.Row, row func(string, ...any))) string {
	some := false
	body := aligned(head, func(row func(string, ...any)) {
		for _, r := range rows {
			if len(r.Transitions) > 0 {
				some = true
				each(r, row)
			}
		}
	})
	if !some {
		return ""
	}
	return title + body
}

// aligned makes a table whose cells are separated by tabs.
func aligned(head string, fill func(row func(format string, args ...any))) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, head)
	fill(func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) })
	w.Flush()
	return b.String()
}
