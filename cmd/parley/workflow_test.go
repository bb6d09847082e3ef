package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"parley/recipe"
	"parley/recipe/language"
	"parley/task"
	"parley/team/teamtest"
	"parley/team/workflow"
	"parley/train/plan"
)

var updateSights = flag.Bool("update-sights", false, "write testdata/sights.txt and docs/pictures/team-*.svg anew")

// TestShippedSights compares who sees what in the team of every shipped recipe with testdata/sights.txt: a prompt that shows more, or less, is a
// change that somebody has to want. Recipes of equal teams stand together.
func TestShippedSights(t *testing.T) {
	t.Parallel()
	var order []string
	teams := map[string][]string{} // recipes by what their prompts show
	for _, name := range recipeNames(t) {
		_, table, found := strings.Cut(shown(t, name), "\n# What each prompt shows at most:\n")
		if !found {
			t.Fatalf("%s: there is no table", name)
		}
		if teams[table] == nil {
			order = append(order, table)
		}
		teams[table] = append(teams[table], name)
	}
	var got strings.Builder
	for _, table := range order {
		fmt.Fprintf(&got, "%s\n%s\n", strings.Join(teams[table], " "), table)
	}
	golden := filepath.Join("testdata", "sights.txt")
	if *updateSights {
		if err := os.WriteFile(golden, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("prompts show other things than %s says:\n%s", golden, got.String())
	}
}

// TestShippedPictures compares the pictures of the teams in docs with what the command draws: every workflow that ships has one, and docs/teams.md
// shows it.
func TestShippedPictures(t *testing.T) {
	t.Parallel()
	docs := filepath.Join("..", "..", "docs")
	page, err := os.ReadFile(filepath.Join(docs, "teams.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, name := range recipeNames(t) {
		r, err := language.New().Load(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Stepwise() || sameTeam(t, r) {
			continue
		}
		picture := filepath.Join("pictures", "team-"+name+".svg")
		shown[filepath.Join(docs, picture)] = true
		if !strings.Contains(string(page), "]("+filepath.ToSlash(picture)+")") {
			t.Errorf("docs/teams.md does not show %s", picture)
		}
		drawn := filepath.Join(t.TempDir(), "team.svg")
		if *updateSights {
			drawn = filepath.Join(docs, picture)
		}
		var stdout, stderr bytes.Buffer
		if code := run(context.Background(), []string{"recipe", "show", name, "--workflow", "--out", drawn}, os.Stdin, &stdout, &stderr); code != 0 {
			t.Fatalf("%s: exit code %d, %s", name, code, stderr.String())
		}
		got, err := os.ReadFile(drawn)
		if err != nil {
			t.Fatal(err)
		}
		if want, err := os.ReadFile(filepath.Join(docs, picture)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("docs/%s is not the picture of %s (%v): write it anew with go test ./cmd/parley -run Shipped -update-sights", picture, name, err)
		}
	}
	all, err := filepath.Glob(filepath.Join(docs, "pictures", "team-*.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		if !shown[file] {
			t.Errorf("%s is the picture of no workflow that ships", file)
		}
	}
}

// sameTeam says that a recipe has the team of its preset, whose picture is its own.
func sameTeam(t *testing.T, r *recipe.Recipe) bool {
	t.Helper()
	if r.Preset == "" {
		return false
	}
	preset, err := language.New().Load(r.Preset, nil)
	if err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(preset.Team, r.Team)
}

// TestShippedProtocols runs the conformance suite of protocols over the team of every shipped recipe, those that act in an environment too.
func TestShippedProtocols(t *testing.T) {
	t.Parallel()
	for _, name := range recipeNames(t) {
		t.Run(name, func(t *testing.T) {
			r, err := language.New().Load(name, nil)
			if err != nil {
				t.Fatal(err)
			}
			p, err := plan.Protocol(r)
			if err != nil {
				t.Fatal(err)
			}
			if spoken := teamtest.Play(t, p, problemOf(t, r)); spoken != p.Agents() && name != "tournament-tiny" && !strings.HasPrefix(name, "corex-discuss") { // their judges are silent where others agree
				t.Errorf("%d of %d agents have spoken", spoken, p.Agents())
			}
		})
	}
}

// problemOf is a problem with the fields that the prompts of a recipe read.
func problemOf(t *testing.T, r *recipe.Recipe) task.Problem {
	t.Helper()
	spec, _, err := plan.Workflow(r)
	if err != nil {
		t.Fatal(err)
	}
	w, err := workflow.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	sights, err := w.Visibility()
	if err != nil {
		t.Fatal(err)
	}
	problem := teamtest.Problem
	problem.Fields = map[string]string{}
	for _, s := range sights {
		for _, source := range s.Sees {
			if source.What == workflow.Field {
				problem.Fields[source.Field] = "1"
			}
		}
	}
	return problem
}

// shown is what recipe show prints of a team.
func shown(t *testing.T, name string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), []string{"recipe", "show", name, "--workflow"}, os.Stdin, &stdout, &stderr); code != 0 {
		t.Fatalf("%s: exit code %d, %s", name, code, stderr.String())
	}
	return stdout.String()
}

// recipeNames are those of the recipes that ship.
func recipeNames(t *testing.T) []string {
	t.Helper()
	names := recipe.Names()
	if len(names) < 50 {
		t.Fatalf("%d recipes ship", len(names))
	}
	return names
}
