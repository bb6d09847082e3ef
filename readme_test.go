package parley_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/tools/claims"
)

// TestReadmeNumbers checks that README.md has no number without a source in docs/results.md or docs/performance.md: see package claims.
func TestReadmeNumbers(t *testing.T) {
	for _, fault := range claims.Check(readFile(t, "README.md"), func(page string) string { return readFile(t, page) }) {
		t.Errorf("README.md: %s", fault)
	}
}

// TestReadmePicture checks that the picture that README.md begins with is small, and that the table on it is README's.
func TestReadmePicture(t *testing.T) {
	doc := readFile(t, "README.md")
	found := regexp.MustCompile(`!\[[^]]+\]\((docs/pictures/[^)]+\.png)\)`).FindStringSubmatch(doc)
	if found == nil {
		t.Fatal("README.md shows no picture")
	}
	data := []byte(readFile(t, found[1]))
	if len(data) > 300_000 {
		t.Errorf("%s has %d bytes", found[1], len(data))
	}
	table := claims.Rows(doc)
	if screen := claims.Rows(claims.PNGText(data, "screen")); len(table) < 2 || !slices.Equal(screen, table) {
		t.Errorf("the picture shows\n%s\nthe text has\n%s", strings.Join(screen, "\n"), strings.Join(table, "\n"))
	}
}

// TestLinks checks that every link of README.md to this repository has a target, sections included.
func TestLinks(t *testing.T) {
	links := regexp.MustCompile(`\]\(([^):\s]*)\)`).FindAllStringSubmatch(readFile(t, "README.md"), -1)
	if len(links) < 20 {
		t.Fatalf("%d links found", len(links))
	}
	for _, m := range links {
		page, anchor, _ := strings.Cut(m[1], "#")
		if _, err := os.Stat(page); err != nil {
			t.Errorf("README.md: %v", err)
		} else if anchor != "" && claims.Section(readFile(t, page), anchor) == "" {
			t.Errorf("README.md: %s has no section %q", page, anchor)
		}
	}
}

// TestVerdicts checks that every claim of docs/reproduction.md has one of the four verdicts that the page explains.
func TestVerdicts(t *testing.T) {
	verdicts := []string{"shows", "does not show", "opposite", "not run"}
	column, rows := -1, 0
	for line := range strings.Lines(readFile(t, "docs/reproduction.md")) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		switch {
		case !strings.HasPrefix(line, "|"):
			column = -1 // outside a table
			continue
		case strings.HasPrefix(line, "|---"):
			continue
		case column < 0:
			column = slices.Index(cells, "verdict")
			continue
		}
		if rows++; column >= len(cells) || !slices.Contains(verdicts, cells[column]) {
			t.Errorf("no verdict of %q in %s", verdicts, line)
		}
	}
	if rows < 40 {
		t.Errorf("%d claims found", rows)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
