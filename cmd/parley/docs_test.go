package main

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"parley/recipe/language"
	"parley/rl/rollout"
	"parley/runs"
	"parley/train"
)

// TestRunFolderIsDocumented checks that docs/run-folder.md names every field that a run writes.
func TestRunFolderIsDocumented(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "run-folder.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{runs.Meta{}, runs.Report{}, runs.Row{}, train.Metrics{}, train.Timing{}, rollout.Episode{}} {
		fields := jsonFields(reflect.TypeOf(v), map[reflect.Type]bool{})
		if len(fields) == 0 {
			t.Errorf("%T has no fields", v)
		}
		for _, field := range fields {
			if !strings.Contains(string(data), "`"+field+"`") {
				t.Errorf("docs/run-folder.md does not say what `%s` of %T is", field, v)
			}
		}
	}
}

// jsonFields lists the names of the fields of t in JSON, and those of the structs in it.
func jsonFields(t reflect.Type, seen map[reflect.Type]bool) []string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return nil
	}
	seen[t] = true
	var names []string
	for i := range t.NumField() {
		f := t.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); f.IsExported() && name != "" && name != "-" {
			names = append(names, name)
		}
		if f.IsExported() {
			names = append(names, jsonFields(f.Type, seen)...)
		}
	}
	return names
}

// TestRewardsAreDocumented checks that the examples that the test of the sandbox runs are those of docs/rewards.md.
func TestRewardsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "rewards.md"))
	if err != nil {
		t.Fatal(err)
	}
	script, err := txtar.ParseFile(filepath.Join("testdata", "sandbox", "rewards.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, f := range script.Files {
		if !slices.Contains([]string{"reward.py", "program.py", "server.py", "mine.yaml"}, f.Name) {
			continue
		}
		if shown++; !strings.Contains(string(doc), string(f.Data)) {
			t.Errorf("docs/rewards.md does not show %s as it is tested", f.Name)
		}
	}
	if shown != 4 {
		t.Errorf("%d examples are tested, want 4", shown)
	}
}

// TestDocumentedExamples checks that the files of examples that pages show are shown as they are, but for the comments at their beginnings.
func TestDocumentedExamples(t *testing.T) {
	for page, files := range map[string][]string{
		"teams.md":        {"own-team/recipe.yaml", "own-team/reward.py"},
		"environments.md": {"own-world/recipe.yaml", "own-world/world.py"},
		"own-data.md":     {"own-data/capitals.yaml"},
	} {
		doc, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(filepath.Join("..", "..", "examples", filepath.FromSlash(file)))
			if err != nil {
				t.Fatal(err)
			}
			text := string(data)
			for strings.HasPrefix(text, "#") {
				_, text, _ = strings.Cut(text, "\n")
			}
			if !strings.Contains(string(doc), "\n"+text+"```\n") {
				t.Errorf("docs/%s does not show examples/%s as it is", page, file)
			}
		}
	}
}

// TestDocumentedRecipes checks that every recipe that the documentation shows in full, with a name, is one.
func TestDocumentedRecipes(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, page := range pages {
		doc, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range yamlBlock.FindAllSubmatch(doc, -1) {
			shown++
			if _, err := language.New().Parse(filepath.Base(page), block[1], nil); err != nil {
				t.Errorf("%s:\n%s\n%v", page, block[1], err)
			}
		}
	}
	if shown < 4 {
		t.Errorf("%d recipes are shown", shown)
	}
}

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(name: .*?)```")
