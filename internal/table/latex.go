package table

import (
	"fmt"
	"strings"
)

// LaTeX is the table as a float of the package booktabs, its title as the caption; nothing where it has no rows.
func (t *Table) LaTeX(label string) string {
	if t.Empty() {
		return ""
	}
	var b strings.Builder
	b.WriteString("\\begin{table}\n  \\centering\n")
	if t.Title != "" {
		fmt.Fprintf(&b, "  \\caption{%s.}\n", EscapeLaTeX(t.titled()))
	}
	fmt.Fprintf(&b, "  \\label{tab:%s}\n  \\begin{tabular}{%s}\n    \\toprule\n", plain(label), t.columns())
	line := func(cells []string) {
		for i, c := range cells {
			cells[i] = EscapeLaTeX(c)
		}
		fmt.Fprintf(&b, "    %s \\\\\n", strings.Join(cells, " & "))
	}
	line(append([]string(nil), t.Head...))
	b.WriteString("    \\midrule\n")
	for _, cells := range t.Rows {
		line(append([]string(nil), cells...))
	}
	b.WriteString("    \\bottomrule\n  \\end{tabular}\n\\end{table}\n")
	return b.String()
}

// columns says at which side the cells of each column stand.
func (t *Table) columns() string {
	var b strings.Builder
	for i := range t.Head {
		if t.numeric(i) {
			b.WriteString("r")
		} else {
			b.WriteString("l")
		}
	}
	return b.String()
}

// plain keeps of a label what LaTeX takes in one.
func plain(label string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-.:", c) {
			return c
		}
		return '-'
	}, label)
}

// latex are the characters that are commands in LaTeX, or that its usual fonts lack.
var latex = strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "_", `\_`, "%", `\%`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`, `"`, `\textquotedbl{}`,
	"→", `$\rightarrow$`, "±", `$\pm$`, "−", `$-$`, "≤", `$\leq$`, "≥", `$\geq$`, "Δ", `$\Delta$`, "α", `$\alpha$`, "β", `$\beta$`, "γ", `$\gamma$`,
	"…", `\dots{}`)

// EscapeLaTeX writes a text so that LaTeX sets it as it is, on one line. The sign of a negative number becomes a minus.
func EscapeLaTeX(text string) string {
	var b strings.Builder
	words := strings.Split(oneLine(text), " ")
	for i, word := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if len(word) > 1 && word[0] == '-' && word[1] >= '0' && word[1] <= '9' {
			b.WriteString("$-$")
			word = word[1:]
		}
		b.WriteString(latex.Replace(word))
	}
	return b.String()
}
