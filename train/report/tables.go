package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/internal/table"
	"parley/runs"
)

// systems is the table of the rows with their intervals and what an answer cost.
func systems(rows []runs.Row) *table.Table {
	t := &table.Table{Head: []string{"system", "score", "95 % interval", "per turn", "tokens/problem", "waited for"}}
	for _, r := range rows {
		t.Add(r.System, number(r.Score), interval(r.CI95), strings.Join(numbers(r.PerTurn), " → "), fmt.Sprintf("%.1f", r.TokensPerProblem), fmt.Sprintf("%.1f", r.Latency))
	}
	return withUnscored(t, rows)
}

// withUnscored puts how many problems could not be scored behind the rows of a table, where there are any.
func withUnscored(t *table.Table, rows []runs.Row) *table.Table {
	if !slices.ContainsFunc(rows, func(r runs.Row) bool { return r.Unscored > 0 }) {
		return t
	}
	t.Head = append(t.Head, "left out")
	for i, r := range rows {
		t.Rows[i] = append(t.Rows[i], counted(r.Unscored, "problem"))
	}
	return t
}

// leftOut are the held-out problems that could not be scored.
func leftOut(unscored map[string]map[string]string) *table.Table {
	t := &table.Table{Title: "Left out of the score: held-out problems that could not be scored", Head: []string{"system", "problem", "reason"}}
	for _, system := range slices.Sorted(maps.Keys(unscored)) {
		for _, problem := range slices.Sorted(maps.Keys(unscored[system])) {
			t.Add(system, problem, unscored[system][problem])
		}
	}
	return t
}

// explanations say what each row of the table is.
var explanations = map[string]string{
	"off-the-shelf":        "the team before training",
	"off-the-shelf-double": "the team before training, allowed twice the tokens an answer",
	"trained":              "the same team with what it has learned",
	"concatenation":        "untrained agents who answer at once, at the team's budget of tokens",
	"pipeline":             "untrained agents who answer one after the other, each reading those before it, at the same budget",
	"discussion":           "untrained agents who answer, read each other and answer again, at the same budget",
	"single":               "one untrained model, one answer, allowed as many tokens as the trained team used",
	"majority-vote":        "one untrained model, a vote over as many answers as cost the trained team's tokens",
	"trained-single":       "one agent trained on as many answers as the team, a vote at the trained team's tokens",
}

// votes says how the score of a team comes about whose answers are right or wrong.
const votes = "; score is the accuracy of its answer, or of the vote where several agents answer last; a tie counts as its expected accuracy"

// explained calls each with every system and what it is, where that is known.
func explained(rows []runs.Row, metric string, each func(system, text string)) {
	for _, r := range rows {
		if text, ok := explanations[r.System]; ok {
			if r.System == runs.OffTheShelf && metric == "accuracy" {
				text += votes
			}
			each(r.System, text)
		}
	}
}

// details are the tables below the first one, those without rows too.
func details(r runs.Report) []*table.Table {
	return []*table.Table{unscored(r), leftOut(r.Unscored), costs(r.Rows), played(r.Rows), comparisons(r.Comparisons), turns(r.Rows), transitions(r.Rows), withoutHistory(r.WithoutHistory), passAt(r.PassAt), accuracyAt(r.AccuracyAt)}
}

// unscored are the problems of training that could not be scored, and single episodes of others, the most frequent reason first.
func unscored(r runs.Report) *table.Table {
	t := &table.Table{Title: fmt.Sprintf("Nothing was learned from %d problems of training that could not be scored", r.Failed), Head: []string{"problems", "reason"}}
	if r.FailedEpisodes > r.Failed {
		t.Title = fmt.Sprintf("Nothing was learned from %d episodes of training that could not be scored, among them all of %d problems", r.FailedEpisodes, r.Failed)
		t.Head[0] = "episodes"
	}
	reasons := slices.SortedFunc(maps.Keys(r.FailedReasons), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.FailedReasons[b], r.FailedReasons[a]), cmp.Compare(a, b))
	})
	for _, reason := range reasons {
		t.Add(fmt.Sprint(r.FailedReasons[reason]), reason)
	}
	return t
}

// costs are what each agent of the teams costs, per problem.
func costs(rows []runs.Row) *table.Table {
	t := &table.Table{Title: "What each agent costs", Note: "per problem", Head: []string{"system", "agent", "queries", "tokens"}}
	for _, r := range rows {
		for _, name := range slices.Sorted(maps.Keys(r.Costs)) {
			t.Add(r.System, name, fmt.Sprintf("%.2f", r.Costs[name]["queries"]), fmt.Sprintf("%.1f", r.Costs[name]["tokens"]))
		}
	}
	return t
}

// played is how the teams play a game, a row for each number.
func played(rows []runs.Row) *table.Table {
	t := &table.Table{Title: "How the team plays", Head: []string{"measure"}}
	rows = slices.DeleteFunc(slices.Clone(rows), func(r runs.Row) bool { return r.Play == nil })
	if len(rows) == 0 {
		return t
	}
	for _, r := range rows {
		t.Head = append(t.Head, r.System)
	}
	for _, name := range slices.Sorted(maps.Keys(rows[0].Play)) {
		cells := []string{name}
		for _, r := range rows {
			cells = append(cells, number(r.Play[name]))
		}
		t.Add(cells...)
	}
	return t
}

// comparisons is what the team gains over every other system, problem by problem.
func comparisons(list []runs.Comparison) *table.Table {
	t := &table.Table{Title: "Differences on the same problems", Note: "interval by bootstrap, p by permutation", Head: []string{"systems", "difference", "95 % interval", "p"}}
	for _, c := range list {
		t.Add(c.System+" - "+c.Against, signed(c.Difference), fmt.Sprintf("%+.3f to %+.3f", c.CI95[0], c.CI95[1]), table.PValue(c.P))
	}
	return t
}

// turns is how the systems of several turns did after each.
func turns(rows []runs.Row) *table.Table {
	t := &table.Table{Title: "After every turn", Head: []string{"system", "turn", "voted", "95 % interval", "single answer", "unparseable", "extracted", "flagged"}}
	for _, r := range severalTurns(rows) {
		for _, x := range r.Turns {
			t.Add(r.System, fmt.Sprint(x.Turn), number(x.Voted), interval(x.CI95), number(x.SingleAnswer), number(x.Unparseable), number(x.Extracted), number(x.Flagged))
		}
	}
	return t
}

// transitions is how the results of these systems moved: R is right, W wrong, the first letter is the earlier turn's.
func transitions(rows []runs.Row) *table.Table {
	t := &table.Table{Title: "From turn to turn", Note: "shares; RW: right before, wrong after", Head: []string{"system", "turns", "of", "RR", "WR", "RW", "WW", "net"}}
	for _, r := range severalTurns(rows) {
		for _, x := range r.Transitions {
			t.Add(append([]string{r.System, between(x), "answers"}, moveCells(x.Answers)...)...)
			t.Add(append([]string{r.System, between(x), "votes"}, moveCells(x.Votes)...)...)
		}
	}
	return t
}

// between names a pair of turns.
func between(t runs.Transition) string { return fmt.Sprintf("%d → %d", t.FromTurn, t.ToTurn) }

// moveCells are the shares of a transition, RR, WR, RW, WW and net, over seeds with half of their intervals.
func moveCells(m runs.Moves) []string {
	cells := append(numbers([]float64{m.RR, m.WR, m.RW, m.WW}), signed(m.Net))
	if m.CI95 != nil {
		for i, ci := range [][2]float64{m.CI95.RR, m.CI95.WR, m.CI95.RW, m.CI95.WW, m.CI95.Net} {
			cells[i] += half(ci)
		}
	}
	return cells
}

// withoutHistory is how policies answer without history.
func withoutHistory(list []runs.LoneScore) *table.Table {
	t := &table.Table{Title: "One answer without history", Head: []string{"policy", "score", "95 % interval"}}
	for _, x := range list {
		t.Add(x.Policy, number(x.Score), interval(x.CI95))
	}
	return t
}

// passAt is what share of the problems k answers solve.
func passAt(list []runs.AtK) *table.Table {
	t := &table.Table{
		Title: "At least one of k answers without history solves the problem", Note: "pass@k, unbiased", Head: []string{"policy", "k", "pass@k", "95 % interval"},
	}
	for _, x := range list {
		t.Add(policyOf(x.System), fmt.Sprint(x.K), number(x.Value), interval(x.CI95))
	}
	return t
}

// accuracyAt is how much of a problem the best of k answers solves.
func accuracyAt(list []runs.AccuracyAtK) *table.Table {
	t := &table.Table{
		Title: "The best of k answers without history", Note: "accuracy@k: of the first k, share of a problem that is solved; expected: of any k",
		Head: []string{"policy", "k", "accuracy@k", "95 % interval", "expected"},
	}
	for _, x := range list {
		t.Add(policyOf(x.System), fmt.Sprint(x.K), number(x.Value), interval(x.CI95), number(x.Expected))
	}
	return t
}

// policyOf says who of a system answers alone.
func policyOf(system string) string {
	if system == runs.OffTheShelf {
		return "the base"
	}
	return "first trained policy"
}

// severalTurns are the systems that have several turns.
func severalTurns(rows []runs.Row) []runs.Row {
	var out []runs.Row
	for _, r := range rows {
		if len(r.Transitions) > 0 {
			out = append(out, r)
		}
	}
	return out
}

func number(x float64) string { return fmt.Sprintf("%.3f", x) }

func signed(x float64) string { return fmt.Sprintf("%+.3f", x) }

func interval(ci [2]float64) string { return fmt.Sprintf("%.3f to %.3f", ci[0], ci[1]) }

// half is what stands behind a mean over seeds: half of its interval.
func half(ci [2]float64) string { return fmt.Sprintf(" ± %.3f", (ci[1]-ci[0])/2) }

func numbers(xs []float64) []string {
	out := make([]string, len(xs))
	for i, x := range xs {
		out[i] = number(x)
	}
	return out
}
