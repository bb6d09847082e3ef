package report

import (
	"fmt"
	"strings"

	"parley/internal/table"
	"parley/runs"
)

// Markdown is report.md of one run: its tables, the pictures of files beside it, and dialogues.
func Markdown(r runs.Report, c Context, files map[string][]byte) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s on %d held-out problems of task %s, seed %d, %s.\n", escape(r.Recipe), escape(table.Capital(by(r))), r.Problems, escape(r.Task), r.Seed, counted(r.Updates, "update"))
	if c.Trained {
		fmt.Fprintf(&b, "Training changed the score of the last turn by %s. It generated %d tokens.\n", signed(r.Gain), r.GeneratedTokens)
	}
	if r.Overlap > 0 {
		fmt.Fprintf(&b, "\n%s.\n", overlap(r))
	}
	b.WriteString("\n" + systems(r).Markdown() + "\n")
	b.WriteString(changes(r.Changes))
	explained(r.Rows, r.Metric, func(system, text string) { fmt.Fprintf(&b, "- **%s**: %s\n", system, text) })
	b.WriteString(pictures(files))
	for _, t := range details(r) {
		b.WriteString(t.Markdown())
	}
	b.WriteString(speakersMarkdown(c.Speakers))
	if c.Watched {
		b.WriteString("\n## Diagnostics of training\n\n`parley run show --why` says more.\n\n")
		for _, line := range strings.Split(strings.TrimSpace(found(r.Diagnostics)), "\n") {
			fmt.Fprintf(&b, "- %s\n", escape(strings.TrimSpace(line)))
		}
	}
	b.WriteString(dialoguesMarkdown(c))
	if c.Dir != "" {
		b.WriteString("\n## Next\n" + fenced(strings.Join(commands(c), "\n")))
	}
	return b.String()
}

// ExperimentMarkdown is report.md of an experiment whose means are r.
func ExperimentMarkdown(r runs.Report, trials []Trial, files map[string][]byte) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s.\n\n%s", escape(r.Recipe), escape(table.Capital(measured(r))), variantSystems(r).Markdown())
	b.WriteString(pictures(files))
	for _, t := range experimentDetails(r, trials) {
		b.WriteString(t.Markdown())
	}
	b.WriteString("\n## Runs\n\n")
	for _, name := range r.Runs {
		fmt.Fprintf(&b, "- [%s](<%s/report.md>)\n", escape(name), name)
	}
	return b.String()
}

func escape(s string) string { return table.EscapeMarkdown(s) }

// TeamPicture is the name of the picture of who sees what. Whoever knows the team draws it.
const TeamPicture = "team"

// pictures shows those beside the file. The one for a screen is shown, those for print are linked.
func pictures(files map[string][]byte) string {
	var b strings.Builder
	for _, p := range append([]struct{ Name, Shows string }{{TeamPicture, "who is asked, and what each prompt shows at most"}}, FigureNames...) {
		if _, drawn := files[p.Name+".png"]; !drawn {
			continue
		}
		var links []string
		for _, ending := range []string{"png", "svg", "pdf"} {
			if _, drawn := files[p.Name+"."+ending]; drawn {
				links = append(links, fmt.Sprintf("[%s](%s.%s)", strings.ToUpper(ending), p.Name, ending))
			}
		}
		fmt.Fprintf(&b, "\n![%s](%s.png)\n\n%s: %s\n", p.Shows, p.Name, table.Capital(p.Shows), strings.Join(links, ", "))
	}
	return b.String()
}

func speakersMarkdown(list []Speaker) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n## Who speaks\n\n")
	for agent, s := range list {
		fmt.Fprintf(&b, "- %s\n", escape(s.with(agent)))
	}
	return b.String()
}

func dialoguesMarkdown(c Context) string {
	text := strings.TrimSpace(dialogues(c))
	if text == "" {
		return ""
	}
	return "\n## Dialogues\n" + fenced(text)
}

// fenced shows a text as it is. The fence is longer than every run of backticks that the text holds.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return "\n" + fence + "text\n" + text + "\n" + fence + "\n"
}

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
