package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
)

// TestExampleRecipes checks every recipe of examples, and that each project says what it is.
func TestExampleRecipes(t *testing.T) {
	t.Parallel()
	for _, folder := range exampleFolders(t) {
		if _, err := os.Stat(filepath.Join(folder, "README.md")); err != nil {
			t.Error(err)
		}
		var out bytes.Buffer
		if code := run(context.Background(), []string{"recipe", "check", filepath.Join(folder, "recipe.yaml")}, os.Stdin, &out, &out); code != 0 {
			t.Errorf("%s: exit code %d, %s", folder, code, out.String())
		}
	}
}

// exampleFolders are the projects of examples: the folders with a recipe.yaml.
func exampleFolders(t *testing.T) (folders []string) {
	t.Helper()
	recipes, err := filepath.Glob(filepath.Join("..", "..", "examples", "*", "recipe.yaml"))
	if err != nil || len(recipes) < 5 {
		t.Fatalf("%d recipes in examples, %v", len(recipes), err)
	}
	for _, path := range recipes {
		folders = append(folders, filepath.Dir(path))
	}
	return folders
}

// TestExampleScriptIsDocumented: docs/teams.md shows the script of its example as it is.
func TestExampleScriptIsDocumented(t *testing.T) {
	script, err := os.ReadFile(filepath.Join("..", "..", "examples", "other-voices", "checker.star"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "teams.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(doc, append([]byte("```python\n"), append(script, "```\n"...)...)) {
		t.Error("docs/teams.md shows another checker.star")
	}
}
