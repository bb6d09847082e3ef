package parley_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestReadmeNumbers checks that README.md and docs/other-systems.md have no number without a source in docs/results.md or docs/performance.md: see
// [checkClaims].
func TestReadmeNumbers(t *testing.T) {
	fromRoot := strings.NewReplacer("](results.md", "](docs/results.md", "](performance.md", "](docs/performance.md")
	for name, text := range map[string]string{
		"README.md":             readFile(t, "README.md"),
		"docs/other-systems.md": fromRoot.Replace(readFile(t, "docs/other-systems.md")),
	} {
		for _, fault := range checkClaims(text, func(page string) string { return readFile(t, page) }) {
			t.Errorf("%s: %s", name, fault)
		}
	}
}

// TestReadmeIsShort checks that README.md has at most 150 lines and begins with a picture.
func TestReadmeIsShort(t *testing.T) {
	doc := readFile(t, "README.md")
	if lines := strings.Count(doc, "\n"); lines > 150 {
		t.Errorf("README.md has %d lines", lines)
	}
	picture(t, doc, "")
}

// TestTrainPicture checks that the table on the first picture of docs/tutorial.md, the screen of a training, is README's.
func TestTrainPicture(t *testing.T) {
	table := rowsOf(readFile(t, "README.md"))
	screen := rowsOf(pngText(picture(t, readFile(t, "docs/tutorial.md"), "docs/"), "screen"))
	if len(table) < 2 || !slices.Equal(screen, table) {
		t.Errorf("the picture shows\n%s\nREADME.md has\n%s", strings.Join(screen, "\n"), strings.Join(table, "\n"))
	}
}

// picture is the first picture of a page in a folder. It has to be small.
func picture(t *testing.T, page, folder string) []byte {
	t.Helper()
	found := regexp.MustCompile(`!\[[^]]+\]\(([^)]+\.png)\)`).FindStringSubmatch(page)
	if found == nil {
		t.Fatal("the page shows no picture")
	}
	data := []byte(readFile(t, folder+found[1]))
	if len(data) > 300_000 {
		t.Errorf("%s has %d bytes", found[1], len(data))
	}
	return data
}

// TestLinks checks that every link of README.md and of the pages of docs to this repository has a target, sections included.
func TestLinks(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, from := range append(pages, "README.md") {
		for _, m := range regexp.MustCompile(`\]\(([^):\s]*)\)`).FindAllStringSubmatch(readFile(t, from), -1) {
			links++
			to, anchor, _ := strings.Cut(m[1], "#")
			page := from
			if to != "" {
				page = filepath.Join(filepath.Dir(from), to)
			}
			if _, err := os.Stat(page); err != nil {
				t.Errorf("%s: %v", from, err)
			} else if anchor != "" && sectionOf(readFile(t, page), anchor) == "" {
				t.Errorf("%s: %s has no section %q", from, page, anchor)
			}
		}
	}
	if links < 300 {
		t.Errorf("%d links found", links)
	}
}

// TestContents checks that docs/README.md lists every page of docs, each of them once, in five parts and the guides.
func TestContents(t *testing.T) {
	contents := readFile(t, "docs/README.md")
	for _, part := range []string{"Start", "Guides", "Reference", "Methods", "Results", "How it is built"} {
		if !strings.Contains(contents, "\n## "+part+"\n") {
			t.Errorf("docs/README.md has no part %q", part)
		}
	}
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		name := filepath.Base(page)
		if n := strings.Count(contents, "]("+name+")"); name != "README.md" && n != 1 {
			t.Errorf("docs/README.md lists %s %d times", name, n)
		}
	}
}

// TestFirstSentences checks that every page of docs says first whose question it answers.
func TestFirstSentences(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	nested, err := filepath.Glob("docs/*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	first := regexp.MustCompile(`^# [^\n]+\n\n(<!--[^\n]*-->\n\n)?This page is for you if [^.]+\.`)
	for _, page := range append(pages, nested...) {
		if !first.MatchString(readFile(t, page)) {
			t.Errorf("%s does not begin with whom it is for: This page is for you if …", page)
		}
	}
}

// TestDesignNamesPackages checks that docs/design.md names packages that are there: the rooms, and the stops of the walk to the first rollout.
func TestDesignNamesPackages(t *testing.T) {
	named := 0
	for _, row := range regexp.MustCompile("(?m)^\\| (?:\\d+ \\| )?(`[a-z].*?) \\|").FindAllStringSubmatch(readFile(t, "docs/design.md"), -1) {
		for _, m := range regexp.MustCompile("`([a-z/]+)`").FindAllStringSubmatch(row[1], -1) {
			named++
			if _, err := os.Stat(m[1]); err != nil {
				t.Errorf("docs/design.md: %v", err)
			}
		}
	}
	if named < 70 {
		t.Errorf("%d packages found", named)
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
