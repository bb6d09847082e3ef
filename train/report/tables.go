package report

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"parley/runs"
)

// table prints the rows with their intervals and what an answer cost.
func table(rows []runs.Row) string {
	return aligned("system\tscore\t95 % interval\tper turn\ttokens/problem\twaited for", func(row func(string, ...any)) {
		for _, r := range rows {
			turns := make([]string, len(r.PerTurn))
			for i, s := range r.PerTurn {
				turns[i] = fmt.Sprintf("%.3f", s)
			}
			row("%s\t%.3f\t%.3f to %.3f\t%s\t%.1f\t%.1f", r.System, r.Score, r.CI95[0], r.CI95[1], strings.Join(turns, " → "), r.TokensPerProblem, r.Latency)
		}
	})
}

// explanations say what each row of the table is.
var explanations = map[string]string{
	"off-the-shelf":        "the team before training",
	"off-the-shelf-double": "the team before training, allowed twice the tokens an answer",
	"trained":              "the same team with its trained adapters",
	"concatenation":        "untrained agents who answer at once, at the team's budget of tokens",
	"pipeline":             "untrained agents who answer one after the other, each reading those before it, at the same budget",
	"discussion":           "untrained agents who answer, read each other and answer again, at the same budget",
	"single":               "one untrained model, one answer, allowed as many tokens as the trained team used",
	"majority-vote":        "one untrained model, a vote over as many answers as cost the trained team's tokens",
	"trained-single":       "one agent trained on as many answers as the team, a vote at the trained team's tokens",
}

// votes says how the score of a team comes about whose answers are right or wrong.
const votes = "; score is the vote of the last turn, a tie counts as its expected accuracy"

func notes(rows []runs.Row, metric string) string {
	var b strings.Builder
	b.WriteString("\n")
	for _, r := range rows {
		if text, ok := explanations[r.System]; ok {
			if r.System == runs.OffTheShelf && metric == "accuracy" {
				text += votes
			}
			fmt.Fprintf(&b, "  %-21s %s\n", r.System, text)
		}
	}
	return b.String()
}

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

// withoutHistory prints how policies answer without history.
func withoutHistory(list []runs.LoneScore) string {
	if len(list) == 0 {
		return ""
	}
	return "\nOne answer without history:\n\n" + aligned("policy\tscore\t95 % interval", func(row func(string, ...any)) {
		for _, x := range list {
			row("%s\t%.3f\t%.3f to %.3f", x.Policy, x.Score, x.CI95[0], x.CI95[1])
		}
	})
}

// passAt prints what share of the problems k answers solve.
func passAt(list []runs.AtK) string {
	if len(list) == 0 {
		return ""
	}
	return "\nAt least one of k answers without history solves the problem (pass@k, unbiased):\n\n" + aligned("policy\tk\tpass@k\t95 % interval", func(row func(string, ...any)) {
		for _, x := range list {
			row("%s\t%d\t%.3f\t%.3f to %.3f", policyOf(x.System), x.K, x.Value, x.CI95[0], x.CI95[1])
		}
	})
}

// accuracyAt prints how much of a problem the best of k answers solves.
func accuracyAt(list []runs.AccuracyAtK) string {
	if len(list) == 0 {
		return ""
	}
	return "\nThe best of k answers without history (accuracy@k: of the first k, share of a problem that is solved; expected: of any k):\n\n" +
		aligned("policy\tk\taccuracy@k\t95 % interval\texpected", func(row func(string, ...any)) {
			for _, x := range list {
				row("%s\t%d\t%.3f\t%.3f to %.3f\t%.3f", policyOf(x.System), x.K, x.Value, x.CI95[0], x.CI95[1], x.Expected)
			}
		})
}

// policyOf says who of a system answers alone.
func policyOf(system string) string {
	if system == runs.OffTheShelf {
		return "the base"
	}
	return "first trained policy"
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
