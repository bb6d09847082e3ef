package train

import (
	"fmt"
	"strings"

	"parley/recipe"
	"parley/runs"
)

// text is what a user reads at the end of a run: the table, dialogues before and after, where the run lies, what to do next.
func (j *job) text() string {
	var b strings.Builder
	r := j.report
	fmt.Fprintf(&b, "\n%s: %s on %d held-out problems of task %s, seed %d, %d updates\n\n", r.Recipe, r.Metric, r.Problems, r.Task, r.Seed, r.Updates)
	b.WriteString(seating(j.recipe))
	b.WriteString(table(r.Rows))
	if j.after != j.before {
		fmt.Fprintf(&b, "\ngain of training in the last turn: %+.3f   (%d tokens generated in training)\n", r.Gain, r.GeneratedTokens)
	}
	b.WriteString(notes(r.Rows))
	b.WriteString(comparisons(r.Comparisons) + turnTable(r.Rows) + transitionTable(r.Rows) + lone(r.WithoutHistory))
	if j.diagnosis != nil {
		fmt.Fprintf(&b, "\nDiagnostics of training (parley run show --why says more):\n%s", findings(j.diagnosis.Diagnostics))
	}
	j.examples(&b)
	if j.run != nil {
		j.next(&b)
	}
	return b.String()
}

// findings lists what fired, one line each.
func findings(list []runs.Diagnostic) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "  %s\n", d)
	}
	if len(list) == 0 {
		b.WriteString("  nothing fired\n")
	}
	return b.String()
}

// seating says who speaks with which base, in teams of several or with frozen agents.
func seating(r *recipe.Recipe) string {
	if len(r.Models) == 0 && len(r.Policies.Frozen) == 0 {
		return ""
	}
	var b strings.Builder
	for agent, base := range r.Bases() {
		frozen := ""
		if r.Policies.IsFrozen(agent) {
			frozen = ", frozen"
		}
		fmt.Fprintf(&b, "agent %d speaks with %s%s\n", agent+1, base, frozen)
	}
	return b.String() + "\n"
}

// next says where the run lies and what to try.
func (j *job) next(b *strings.Builder) {
	fmt.Fprintf(b, "\nThe run lies in %s\n\nNext:\n", j.run.Dir())
	fmt.Fprintf(b, "  parley run show %s\n", j.run.Dir())
	fmt.Fprintf(b, "  parley run export %s --out adapters\n", j.run.Dir())
	fmt.Fprintf(b, "  parley recipe show %s > mine.yaml && parley train mine.yaml\n", j.recipe.Name)
}

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
	"off-the-shelf":        "the team before training; score is the vote of the last turn, a tie counts as its expected accuracy",
	"off-the-shelf-double": "the team before training, allowed twice the tokens an answer",
	"trained":              "the same team with its trained adapters",
	"concatenation":        "untrained agents who answer at once, at the team's budget of tokens",
	"pipeline":             "untrained agents who answer one after the other, each reading those before it, at the same budget",
	"discussion":           "untrained agents who answer, read each other and answer again, at the same budget",
	"single":               "one untrained model, one answer, allowed as many tokens as the trained team used",
	"majority-vote":        "one untrained model, a vote over as many answers as cost the trained team's tokens",
	"trained-single":       "one agent trained on as many answers as the team, a vote at the trained team's tokens",
}

func notes(rows []runs.Row) string {
	var b strings.Builder
	b.WriteString("\n")
	for _, r := range rows {
		if text, ok := explanations[r.System]; ok {
			fmt.Fprintf(&b, "  %-21s %s\n", r.System, text)
		}
	}
	return b.String()
}

// examples prints the same held-out problems before and after training.
func (j *job) examples(b *strings.Builder) {
	if j.after == j.before {
		for _, x := range j.before.Examples {
			fmt.Fprintf(b, "\n%s", x.text())
		}
		return
	}
	for i := range min(len(j.before.Examples), len(j.after.Examples)) {
		before, after := j.before.Examples[i], j.after.Examples[i]
		before.System, after.System = "before training", "after training"
		fmt.Fprintf(b, "\nHeld-out problem %d, %s%s", i+1, before.text(), after.text())
	}
}
