package recipe_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/usererror"
	"parley/recipe"
)

const underlay = `name: x
task: {name: sums, steps: 2}
team:
  agents:
    writer: {role: Write.}
    critic: {role: Be strict., frozen: true}
  turns: 2
training: {updates: 7}
`

// TestOverlay: what files over a recipe make of it, and what is wrong with them where.
func TestOverlay(t *testing.T) {
	for _, c := range []struct {
		name     string
		overlays []string
		sets     []string
		show     string // lines of the recipe's print, or the error
	}{
		{"sections are merged key by key", []string{"training: {problems: 4}\nseed: 9\n"}, nil, "seed: 9\n  turns: 2\n  updates: 7\n  problems: 4"},
		{"the last wins", []string{"seed: 9\ntraining: {updates: 3}\n", "seed: 8"}, nil, "seed: 8\n  updates: 3"},
		{"JSON", []string{`{"team": {"turns": 3}, "training": {"updates": 1}}`}, nil, "  turns: 3\n  updates: 1"},
		{"changes come after", []string{"team: {turns: 3}"}, []string{"team.turns=4"}, "  turns: 4"},
		{"agents are merged by name", []string{"team: {agents: {critic: {role: Be kind.}, writer: }}"}, nil, "      role: Write.\n      role: Be kind.\n      frozen: true"},
		{"agents are replaced by a number", []string{"team: {agents: 3}"}, nil, "  agents: 3"},
		{"a task is chosen", []string{"task: {name: duet}", "task: {name: sums, steps: 3}"}, nil, "  name: sums\n  steps: 3"},
		{"a preset is begun with", []string{"preset: debate-sums\nteam: {agents: 2}\n"}, nil, "preset: debate-sums\n  updates: 7"},
		{"nothing", []string{"", "# nothing\n"}, nil, "  turns: 2"},
		{
			"unknown keys",
			[]string{"training: {updtes: 1}\n", "\n\nteam: {agents: {crtic: {}}}"},
			[]string{"seed=x"},
			"over0:1:12: unknown key \"updtes\" in training; did you mean \"updates\"?\nover1:3:17: team.agents has no \"crtic\"; did you mean \"critic\"?\n--set seed=x: seed is \"x\"",
		},
		{"values", []string{"team:\n  turns: many\n"}, nil, `over0:2:10: team.turns is "many", expected a whole number`},
		{"what does not go together", []string{"\nseed: 5\nexperiment: {seeds: [1, 2]}\n"}, nil, "over0:2:1: seed is 5, but experiment.seeds says with which seeds the runs are made"},
		{"no YAML", []string{"a: ["}, nil, "over0:1:4: not YAML"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			var files []string
			for i, text := range c.overlays {
				files = append(files, "over"+string(rune('0'+i)))
				if err := os.WriteFile(files[i], []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r, err := lang.Parse("f", []byte(underlay), c.sets, files...)
			var list *recipe.Errors
			got := ""
			switch {
			case errors.As(err, &list):
				got = err.Error()
			case err != nil:
				t.Fatal(err)
			default:
				got = string(r.YAML())
				roundTrip(t, r)
			}
			for line := range strings.Lines(c.show) {
				at := strings.Index("\n"+got, "\n"+strings.TrimSuffix(line, "\n"))
				if at < 0 {
					t.Fatalf("%q is missing, or out of order:\n%s", line, got)
				}
			}
		})
	}
}

// TestOverlayPaths: paths in a file over a recipe are relative to that file's folder.
func TestOverlayPaths(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	lay(t, root, "sub/data.jsonl", "over/edit.py", "data.jsonl")
	for file, text := range map[string]string{"sub/mine.yaml": "name: x\ntask: {name: gsm8k, path: data.jsonl}\nreward: {source: user}\nalgorithm: magrpo\n", "over/over.yaml": "reward: {user: {python: edit.py}}\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := lang.Load(filepath.Join("sub", "mine.yaml"), nil, filepath.Join("over", "over.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	want := "task.path " + filepath.Join(root, "sub", "data.jsonl") + "\nreward.user.python " + filepath.Join(root, "over", "edit.py") + "\n"
	if got := filesOf(r); !strings.Contains(got, want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	var user *usererror.Error
	if _, err := lang.Load("debate-sums", nil, "nowhere.json"); !errors.As(err, &user) || !strings.Contains(err.Error(), "nowhere.json") {
		t.Errorf("an overlay that is not there: %v", err)
	}
}

// FuzzOverlay: whatever lies over a recipe, errors are a list, and what is read prints to what reads the same.
func FuzzOverlay(f *testing.F) {
	for _, s := range []string{"", "seed: 2", "team: {agents: {critic: {frozen: false}}}", `{"team": {"agents": 4}}`, "- a", "team: {agents: {critic: }}", "preset: magrpo-tiny"} {
		f.Add([]byte(s))
	}
	file := filepath.Join(f.TempDir(), "over.yaml")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := lang.Parse("f", []byte(underlay), nil, file)
		var list *recipe.Errors
		switch {
		case err == nil:
			roundTrip(t, r)
		case !errors.As(err, &list) || len(list.List) == 0:
			t.Fatalf("error %v is no list", err)
		}
	})
}
