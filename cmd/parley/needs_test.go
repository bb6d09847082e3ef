package main

import (
	"slices"
	"strings"
	"testing"

	"parley/model"
	"parley/recipe"
	"parley/recipe/language"
	"parley/task/textstats"
)

// TestShippedRecipesSayWhatTheyNeed: a shipped recipe runs with the binary alone, or its first line has the commands that get what it lacks.
func TestShippedRecipesSayWhatTheyNeed(t *testing.T) {
	t.Parallel()
	l, lacking := language.New(), 0
	for _, name := range recipe.Names() {
		r, err := l.Load(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		var wants []string
		for _, n := range r.NamedFiles() {
			if n.Kind != "model" || model.Ships(n.Path) {
				continue
			}
			want := model.Getting(n.Path)
			if want == "" {
				t.Errorf("%s: nobody knows how to get the model %s", name, n.Path)
			}
			if !slices.Contains(wants, want) {
				wants = append(wants, want)
			}
		}
		if kind, _ := l.Task(r.Task.Name); kind.DataSet != "" {
			wants = append(wants, "parley data pull "+kind.DataSet)
		}
		switch r.Task.Name {
		case "tinygsm":
			wants = append(wants, "parley data prepare")
		case "arxiv":
			if !r.Task.Settings.(*textstats.ArxivSettings).Made {
				wants = append(wants, "task.path")
			}
		}
		for _, want := range wants {
			if lacking++; !strings.Contains(r.About, want) {
				t.Errorf("%s: its first line, %q, has no %q", name, r.About, want)
			}
		}
	}
	if lacking == 0 {
		t.Error("no shipped recipe lacks anything, which cannot be")
	}
}
