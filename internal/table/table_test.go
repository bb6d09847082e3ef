package table_test

import (
	"encoding/csv"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/internal/table"
)

func sample() table.Table {
	t := table.Table{Title: "Scores", Note: "all problems", Head: []string{"system", "score", "95 % interval"}}
	t.Add("our_team|a", "0.5", "-0.100 to +0.200")
	t.Add("50% & more", "12.25", "")
	return t
}

// TestFormats: one table in all four formats.
func TestFormats(t *testing.T) {
	x := sample()
	for _, c := range []struct{ name, got, want string }{
		{"text", x.Text(), "\nScores (all problems):\n\nsystem       score   95 % interval\nour_team|a   0.5     -0.100 to +0.200\n50% & more   12.25   \n"},
		{"Markdown", x.Markdown(), "\n## Scores\n\nAll problems.\n\n" +
			"| system         | score |    95 % interval |\n| -------------- | ----: | ---------------: |\n" +
			"| our\\_team\\|a   |   0.5 | -0.100 to +0.200 |\n| 50% &amp; more | 12.25 |                  |\n"},
		{"LaTeX", x.LaTeX("a_b"), "\\begin{table}\n  \\centering\n  \\caption{Scores (all problems).}\n  \\label{tab:a-b}\n  \\begin{tabular}{lrr}\n    \\toprule\n" +
			"    system & score & 95 \\% interval \\\\\n    \\midrule\n    our\\_team\\textbar{}a & 0.5 & $-$0.100 to +0.200 \\\\\n    50\\% \\& more & 12.25 &  \\\\\n" +
			"    \\bottomrule\n  \\end{tabular}\n\\end{table}\n"},
		{"CSV", string(x.CSV()), "system,score,95 % interval\nour_team|a,0.5,-0.100 to +0.200\n50% & more,12.25,\n"},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n%q\nwant\n%q", c.name, c.got, c.want)
		}
	}
	var none table.Table
	if none.Text()+none.Markdown()+none.LaTeX("x") != "" {
		t.Error("a table without rows is shown")
	}
}

// TestCellsOfAnyText: whatever a cell holds, the table keeps its rows and columns.
func TestCellsOfAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := table.Table{Head: []string{"a", "b"}}
		for range rapid.IntRange(1, 4).Draw(t, "rows") {
			x.Add(rapid.String().Draw(t, "first"), rapid.String().Draw(t, "second"))
		}
		for _, line := range strings.Split(strings.TrimSuffix(x.Markdown(), "\n"), "\n") {
			if n := bare(line, "|"); n != 3 {
				t.Fatalf("%d bars in the Markdown line %q", n, line)
			}
		}
		for _, line := range bodyOf(x.LaTeX("x")) {
			if !strings.HasSuffix(line, ` \\`) || bare(strings.TrimSuffix(line, ` \\`), "&") != 1 || bare(line, "%#") != 0 || balance(line) != 0 {
				t.Fatalf("LaTeX line %q", line)
			}
		}
		read, err := csv.NewReader(strings.NewReader(string(x.CSV()))).ReadAll()
		if err != nil || !reflect.DeepEqual(read[1:], lineBreaks(x.Rows)) {
			t.Fatalf("read back %q, %v, want %q", read, err, x.Rows)
		}
	})
}

// bare counts characters of the set that no backslash stands before.
func bare(line, set string) int {
	count, escaped := 0, false
	for _, c := range line {
		if !escaped && strings.ContainsRune(set, c) {
			count++
		}
		escaped = c == '\\' && !escaped
	}
	return count
}

// balance is the number of groups that a line opens and does not close.
func balance(line string) int { return bare(line, "{") - bare(line, "}") }

func bodyOf(latex string) []string {
	lines := strings.Split(strings.TrimSuffix(latex, "\n"), "\n")
	from, to := slices.Index(lines, "    \\toprule"), slices.Index(lines, "    \\bottomrule")
	return slices.DeleteFunc(lines[from+1:to], func(l string) bool { return l == "    \\midrule" })
}

// lineBreaks are rows as a reader of CSV returns them: a carriage return before a line feed is dropped.
func lineBreaks(rows [][]string) [][]string {
	out := make([][]string, len(rows))
	for i, cells := range rows {
		for _, c := range cells {
			out[i] = append(out[i], strings.ReplaceAll(c, "\r\n", "\n"))
		}
	}
	return out
}

// TestPValue: a p-value is never said to be 0, and stands among the numbers.
func TestPValue(t *testing.T) {
	x := table.Table{Head: []string{"runs", "p"}}
	for p, want := range map[float64]string{0: "<0.0001", 1e-9: "<0.0001", 0.000049: "<0.0001", 0.00005: "0.0001", 0.0123: "0.0123", 1: "1.0000"} {
		if got := table.PValue(p); got != want {
			t.Errorf("%g is said to be %s, want %s", p, got, want)
		}
		x.Add("a - b", table.PValue(p))
	}
	if got := x.LaTeX("x"); !strings.Contains(got, "{lr}") || !strings.Contains(got, `\textless{}0.0001`) {
		t.Error(got)
	}
}
