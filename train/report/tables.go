package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/internal/table"
	"parley/rl/eval"
	"parley/runs"
)

// systems is the table of the rows with their intervals and what an answer cost. Its head names the one measure of all rows. Where that is a share of
// the range, the reward or return stands beside it.
func systems(r runs.Report) *table.Table {
	t := measuredRows(r.Metric, r.Measure, r.Rows)
	t.Head = append(t.Head, "tokens/problem", "waited for")
	for i, row := range r.Rows {
		t.Rows[i] = append(t.Rows[i], fmt.Sprintf("%.1f", row.TokensPerProblem), fmt.Sprintf("%.1f", row.Latency))
	}
	return withUnscored(withOwn(t, r.Rows), r.Rows)
}

// withOwn puts what agents were paid alone behind the rows of a table, where anybody was.
func withOwn(t *table.Table, rows []runs.Row) *table.Table {
	if !slices.ContainsFunc(rows, func(r runs.Row) bool { return r.OwnReward != nil }) {
		return t
	}
	t.Head = append(t.Head, "own reward")
	for i, r := range rows {
		var cells []string
		for _, name := range slices.Sorted(maps.Keys(r.OwnReward)) {
			cells = append(cells, name+" "+table.Number(r.OwnReward[name]))
		}
		t.Rows[i] = append(t.Rows[i], cmp.Or(strings.Join(cells, ", "), "-"))
	}
	return t
}

func measuredRows(metric string, by *eval.Measure, rows []runs.Row) *table.Table {
	t := &table.Table{Head: []string{"system", metric, "95 % interval", "per turn"}}
	if by != nil && by.Of != "" {
		t.Head = append(t.Head, by.Of)
	}
	for _, r := range rows {
		cells := []string{r.System, table.Number(r.Score), table.Interval(r.CI95), strings.Join(numbers(r.PerTurn), " → ")}
		if len(t.Head) > len(cells) {
			raw := "-"
			if r.Raw != nil {
				raw = table.Number(*r.Raw)
			}
			cells = append(cells, raw)
		}
		t.Add(cells...)
	}
	return t
}

// also are the tables of the systems by other measures, with their differences.
func also(r runs.Report) (out []*table.Table) {
	for a := r.Also; a != nil; a = a.Also {
		t := measuredRows(a.Metric, a.Measure, withVariant(a.Rows))
		t.Title = "The same systems by " + a.Metric
		differences := comparisons(a.Comparisons)
		differences.Title = "Differences in " + a.Metric + " on the same problems"
		out = append(out, t, differences)
	}
	return out
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

// elections says what a vote scores where the score is no accuracy.
const elections = "; it scores what the first answer earns with which the vote is won, or the mean over those that win it"

// alone says what is beside the score of a team whose agents are paid by themselves.
const alone = "what each agent was paid alone in an episode, which no score has: that is of what the team is paid"

// explained calls each with every system and what it is, where that is known.
func explained(rows []runs.Row, metric string, each func(system, text string)) {
	for _, r := range rows {
		if text, ok := explanations[r.System]; ok {
			if r.System == runs.OffTheShelf && metric == eval.Accuracy().Name {
				text += votes
			}
			if r.System == runs.MajorityVote && metric != eval.Accuracy().Name {
				text += elections
			}
			each(r.System, text)
		}
	}
	if slices.ContainsFunc(rows, func(r runs.Row) bool { return r.OwnReward != nil }) {
		each("own reward", alone)
	}
}

// details are the tables below the first one, those without rows too.
func details(r runs.Report) []*table.Table {
	list := []*table.Table{unscored(r), leftOut(r.Unscored), costs(r.Rows), partsOf(r.Rows), played(r.Rows), comparisons(r.Comparisons)}
	return append(append(list, also(r)...), turns(r.Rows), transitions(r.Rows), withoutHistory(r.WithoutHistory), passAt(r.PassAt), passHat(r.PassHat), accuracyAt(r.AccuracyAt))
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
	return named("How the team plays", rows, func(r runs.Row) map[string]float64 { return r.Play })
}

// partsOf are those of a joint reward.
func partsOf(rows []runs.Row) *table.Table {
	return named("Parts of the reward, means over problems", rows, func(r runs.Row) map[string]float64 { return r.Parts })
}

// named are numbers of systems that have names, a row for each.
func named(title string, rows []runs.Row, of func(runs.Row) map[string]float64) *table.Table {
	t := &table.Table{Title: title, Head: []string{"measure"}}
	rows = slices.DeleteFunc(slices.Clone(rows), func(r runs.Row) bool { return of(r) == nil })
	if len(rows) == 0 {
		return t
	}
	for _, r := range rows {
		t.Head = append(t.Head, r.System)
	}
	for _, name := range slices.Sorted(maps.Keys(of(rows[0]))) {
		cells := []string{name}
		for _, r := range rows {
			cells = append(cells, number(of(r)[name]))
		}
		t.Add(cells...)
	}
	return t
}

// comparisons is what the team gains over every other system, problem by problem.
func comparisons(list []runs.Comparison) *table.Table {
	t := &table.Table{Title: "Differences on the same problems", Note: "interval by bootstrap, p by permutation", Head: []string{"systems", "difference", "95 % interval", "p"}}
	for _, c := range list {
		t.Add(c.System+" - "+c.Against, table.Signed(c.Difference), table.SignedInterval(c.CI95), table.PValue(c.P))
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
	return atK(list, "pass@k", "At least one of k samples solves the problem", "pass@k, unbiased; a sample of a team is a joint one")
}

// passHat is what share of the problems the team masters k times of k.
func passHat(list []runs.AtK) *table.Table {
	return atK(list, "pass^k", "All of k plays reach the greatest score", "pass^k, unbiased")
}

func atK(list []runs.AtK, name, title, note string) *table.Table {
	t := &table.Table{Title: title, Note: note, Head: []string{"system", "k", name, "95 % interval"}}
	for _, x := range list {
		t.Add(x.System, fmt.Sprint(x.K), number(x.Value), interval(x.CI95))
	}
	return t
}

// accuracyAt is how much of a problem the best of k answers solves.
func accuracyAt(list []runs.AccuracyAtK) *table.Table {
	t := &table.Table{
		Title: "The best of k samples", Note: "accuracy@k: of the first k, share of a problem that is solved; expected: of any k",
		Head: []string{"system", "k", "accuracy@k", "95 % interval", "expected"},
	}
	for _, x := range list {
		t.Add(x.System, fmt.Sprint(x.K), number(x.Value), interval(x.CI95), number(x.Expected))
	}
	return t
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

func number(x float64) string { return table.Number(x) }

func signed(x float64) string { return table.Signed(x) }

func interval(ci [2]float64) string { return table.Interval(ci) }

// half is what stands behind a mean over seeds: half of its interval.
func half(ci [2]float64) string { return fmt.Sprintf(" ± %.3f", (ci[1]-ci[0])/2) }

func numbers(xs []float64) []string {
	out := make([]string, len(xs))
	for i, x := range xs {
		out[i] = number(x)
	}
	return out
}

// Unscored puts why problems of a system could not be scored into a report; nil: all were.
func Unscored(r *runs.Report, system string, reasons map[string]string) {
	if reasons == nil {
		return
	}
	if r.Unscored == nil {
		r.Unscored = map[string]map[string]string{}
	}
	r.Unscored[system] = reasons
}
