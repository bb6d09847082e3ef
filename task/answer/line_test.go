package answer

import (
	_ "embed"
	"slices"
	"strings"
	"testing"
)

//go:embed testdata/lines.txt
var linesFile string

// written are last lines as models write them, with the answer in each.
func written(t testing.TB) (list [][2]string) {
	for _, row := range strings.Split(strings.TrimSuffix(linesFile, "\n"), "\n") {
		if strings.HasPrefix(row, "# Last") {
			continue
		}
		text, want, ok := strings.Cut(row, "\t")
		if !ok {
			t.Fatalf("%q has no tab", row)
		}
		list = append(list, [2]string{strings.NewReplacer(`\n`, "\n", `\r`, "\r").Replace(text), want})
	}
	return list
}

// lastLine is the answer in the last line of a text that says something.
func lastLine(text string) (line string, ok bool) {
	readings := LineReadings(text)
	if len(readings) == 0 {
		return "", false
	}
	return readings[len(readings)-1], true
}

func TestLastLine(t *testing.T) {
	list := written(t)
	for _, row := range list {
		if got, ok := lastLine(row[0]); got != row[1] || ok != (row[1] != "") {
			t.Errorf("%q: %q, %v, want %q", row[0], got, ok, row[1])
		}
	}
	if len(list) < 200 {
		t.Errorf("%d lines", len(list))
	}
}

func FuzzLastLine(f *testing.F) {
	for _, row := range written(f) {
		f.Add(row[0])
	}
	f.Fuzz(func(t *testing.T, text string) {
		line, ok := lastLine(text)
		if again, _ := lastLine(line); ok != (line != "") || again != line || len(line) > len(text) || strings.Contains(line, "\n") {
			t.Fatalf("%q: %q, %v, then %q", text, line, ok, again)
		}
		list := LineReadings(text)
		for i := range list {
			if i > 0 && len(list[i]) >= len(list[i-1]) || slices.Contains(list[:i], list[i]) {
				t.Fatalf("%q: %q", text, list)
			}
		}
	})
}
