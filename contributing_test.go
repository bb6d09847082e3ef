package parley_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestContributing checks that the files, links and targets of make that CONTRIBUTING.md names are there.
func TestContributing(t *testing.T) {
	doc := readFile(t, "CONTRIBUTING.md")
	makefile := readFile(t, "Makefile")
	found := map[string]int{}
	for _, m := range regexp.MustCompile(`\]\(([^):\s]*)\)`).FindAllStringSubmatch(doc, -1) {
		found["link"]++
		if _, err := os.Stat(m[1]); err != nil {
			t.Error(err)
		}
	}
	for _, m := range regexp.MustCompile("`([a-z_.]+(/[a-z_.-]+)+|[a-z_]+\\.go)`").FindAllStringSubmatch(doc, -1) {
		found["file"]++
		short, _ := filepath.Glob(filepath.Join("*", "*", m[1])) // those named beside another file of their folder
		kernels, _ := filepath.Glob(filepath.Join("engine", "native", "kernel", m[1]))
		if _, err := os.Stat(m[1]); err != nil && len(short)+len(kernels) == 0 {
			t.Errorf("CONTRIBUTING.md: %v", err)
		}
	}
	for _, m := range regexp.MustCompile("`make ([a-z0-9-]+)").FindAllStringSubmatch(doc, -1) {
		found["target"]++
		step, isStep := strings.CutPrefix(m[1], "ci-")
		if _, err := os.Stat(filepath.Join(".ci", "steps", step+".sh")); isStep && err != nil || !isStep && !strings.Contains(makefile, "\n"+m[1]+":") {
			t.Errorf("CONTRIBUTING.md: there is no target %s", m[1])
		}
	}
	if found["link"] < 5 || found["file"] < 20 || found["target"] < 5 {
		t.Errorf("only %v were found", found)
	}
}

// TestAddingATask checks that docs/adding-a-task.md has all that a new task needs: its files are those of testdata/newtask, and with
// its changes to the register the task passes the conformance suite.
func TestAddingATask(t *testing.T) {
	const page = "docs/adding-a-task.md"
	module := `"` + modulePath(t) + "/"
	steps := regexp.MustCompile("(?s)`([a-z_/]+\\.(?:go|md))`[^`]*:\n\n```(go|markdown|diff)\n(.*?)```\n").FindAllStringSubmatch(readFile(t, page), -1)
	if len(steps) != 5 {
		t.Fatalf("%s changes %d files, want 5", page, len(steps))
	}
	replace, dir := map[string]string{}, t.TempDir()
	for _, step := range steps {
		name, text := step[1], strings.ReplaceAll(step[3], `"parley/`, module)
		if step[2] != "diff" {
			if kept := filepath.Join("testdata", "newtask", strings.TrimPrefix(name, "task/")); text != readFile(t, kept) {
				t.Errorf("%s: %s is not %s", page, name, kept)
			}
		} else {
			text = applied(t, readFile(t, name), text)
		}
		laid := filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(laid, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		whole, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		replace[whole] = laid
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, data, 0o644); err != nil {
		t.Fatal(err)
	}
	// Vet cannot enter the folder of the task, which is nowhere but in the overlay.
	out, err := exec.CommandContext(t.Context(), "go", "test", "-v", "-vet=off", "-overlay", overlay, "-run", "TestConformance/parity", "./recipe/language").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestConformance/parity") {
		t.Errorf("%v\n%s", err, out)
	}
}

// applied is source with the added lines of a diff behind the lines that it shows before them. @@ stands between parts.
func applied(t *testing.T, source, diff string) string {
	t.Helper()
	for part := range strings.SplitSeq(diff, "@@\n") {
		before, after := "", ""
		for line := range strings.Lines(part) {
			after += line[1:]
			if line[0] != '+' {
				before += line[1:]
			}
		}
		if strings.Count(source, before) != 1 {
			t.Fatalf("%q is there %d times", before, strings.Count(source, before))
		}
		source = strings.Replace(source, before, after, 1)
	}
	return source
}
