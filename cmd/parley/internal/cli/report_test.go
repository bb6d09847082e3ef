package cli

import (
	"strings"
	"testing"

	"parley/internal/terminal"
)

// TestOnTerminal: at every width no line is wider, no word is broken that fits, nothing is lost, and pictures are named.
func TestOnTerminal(t *testing.T) {
	report := "# mine\n\n" +
		"Of 200 held-out problems the trained team solves 98.4 %, which is 39.0 points more than before; a majority vote at the same number of tokens solves 71.6 %.\n\n" +
		"system           score   95 % interval    per turn        tokens/problem   waited for   helped   harmed   truncated   tool calls\n" +
		"    off-the-shelf    0.594   0.555 to 0.632   0.502 → 0.594   87.1             50.1         12       30       4           日本語日本語日本語日本語\n" +
		"![Accuracy of each turn](accuracy.png)\n" +
		"averyveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryverylongwordofmorethansixtycolumns after\n" +
		strings.Repeat(" ", 50) + "far to the right\n"
	words := strings.Fields(strings.Replace(report, "![Accuracy of each turn](accuracy.png)", "Accuracy of each turn: dir/accuracy.png", 1))
	for columns := 60; columns <= 200; columns++ {
		shown := onTerminal(report, "dir", columns)
		for line := range strings.Lines(shown) {
			if w := terminal.Width(strings.TrimSuffix(line, "\n")); w > columns {
				t.Errorf("%d columns: a line of %d: %q", columns, w, line)
			}
		}
		got := strings.Fields(shown)
		for _, word := range words {
			if len(word) <= columns && !strings.Contains(" "+strings.Join(got, " ")+" ", " "+word+" ") {
				t.Errorf("%d columns: the word %q is broken", columns, word)
			}
		}
		if strings.Join(got, "") != strings.Join(words, "") {
			t.Errorf("%d columns: something is lost:\n%s", columns, shown)
		}
	}
	if got := onTerminal(report, "dir", 400); !strings.Contains(got, "per turn        tokens/problem") || !strings.Contains(got, "\nAccuracy of each turn: dir/accuracy.png\n") {
		t.Errorf("a wide terminal shows\n%s", got)
	}
}
