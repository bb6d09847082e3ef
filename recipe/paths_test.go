package recipe_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/model/shipped"
	"parley/recipe"
)

// lay makes files in a folder, by their paths, each with its own path as content.
func lay(t *testing.T, dir string, paths ...string) {
	t.Helper()
	for _, p := range paths {
		p = filepath.Join(dir, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(p), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const named = `name: x
model: tiny
task: {name: gsm8k, path: data.jsonl}
reward: {source: user, user: {python: edit.py}}
algorithm: magrpo
experiment:
  variants:
    plain: []
    other: [task.path=more.jsonl, reward.user.python=, "reward.user.command=[python3, ask.py, ask.txt]"]
    far: [task.path=here.jsonl, model=nowhere]
`

// TestPaths: relative paths in a file are relative to its folder, after --set to the current one, and the recipe has them whole; names
// that are no paths stay.
func TestPaths(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	lay(t, root, "sub/tiny/config.json", "sub/data.jsonl", "sub/edit.py", "sub/more.jsonl", "sub/ask.py", "here.jsonl", "sub/python3")
	file := filepath.Join("sub", "mine.yaml")
	if err := os.WriteFile(file, []byte(named), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := lang.Load(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := filesOf(r)
	want := "model " + filepath.Join(root, "sub", "tiny") + "\ntask.path " + filepath.Join(root, "sub", "data.jsonl") + "\nreward.user.python " + filepath.Join(root, "sub", "edit.py") + "\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	trials, err := r.Trials()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		want,
		"model " + filepath.Join(root, "sub", "tiny") + "\ntask.path " + filepath.Join(root, "sub", "more.jsonl") + "\nreward.user.command python3\nreward.user.command " + filepath.Join(root, "sub", "ask.py") + "\nreward.user.command ask.txt\n",
		"model nowhere\ntask.path " + filepath.Join(root, "here.jsonl") + "\nreward.user.python " + filepath.Join(root, "sub", "edit.py") + "\n",
	} {
		if got := filesOf(trials[i].Recipe); got != want {
			t.Errorf("%s: got\n%swant\n%s", trials[i].Name(), got, want)
		}
	}
	roundTrip(t, r)
	set, err := lang.Load(file, []string{"task.path=here.jsonl", "reward.user.python=new.py", "model=org/pulled"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := filesOf(set), "model org/pulled\ntask.path "+filepath.Join(root, "here.jsonl")+"\nreward.user.python "+filepath.Join(root, "new.py")+"\n"; got != want {
		t.Errorf("after --set\n%swant\n%s", got, want)
	}
}

func filesOf(r *recipe.Recipe) string {
	var b strings.Builder
	for _, f := range r.NamedFiles() {
		b.WriteString(f.Key + " " + f.Path + "\n")
	}
	return b.String()
}

// TestShippedBases: a base that comes with parley is no file, though there be one of its name.
func TestShippedBases(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range shipped.Names() {
		lay(t, ".", name+"/config.json")
		for _, sets := range [][]string{nil, {"model=" + name}} {
			if err := os.WriteFile("mine.yaml", []byte("name: x\nmodel: "+name+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			r, err := lang.Load("mine.yaml", sets)
			if err != nil || r.Model != name {
				t.Errorf("%s is taken for %s, %v", name, r.Model, err)
			}
		}
	}
}

// TestOutputFolder: the folder that a run writes event files into is relative to the recipe too, is the same from any current folder once the
// run has its recipe, and is nothing that decides numbers.
func TestOutputFolder(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	lay(t, root, "events/old", "sub/here")
	for _, c := range []struct {
		given string
		sets  []string
		want  string
	}{
		{"events", nil, filepath.Join(root, "sub", "events")}, // and not the folder that is there
		{"true", nil, "true"},
		{"''", nil, ""},
		{"true", []string{"training.tensorboard=mine"}, filepath.Join(root, "mine")},
		{"events", []string{"training.tensorboard=true"}, "true"},
		{filepath.Join(root, "whole"), nil, filepath.Join(root, "whole")},
	} {
		file := filepath.Join("sub", "events.yaml")
		if err := os.WriteFile(file, []byte("name: x\ntraining: {tensorboard: "+c.given+"}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := lang.Load(file, c.sets)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := lang.Parse("kept", r.YAML(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Training.TensorBoard != c.want || kept.Training.TensorBoard != c.want {
			t.Errorf("%s %v: %q, kept as %q, want %q", c.given, c.sets, r.Training.TensorBoard, kept.Training.TensorBoard, c.want)
		}
		if files := filesOf(r); strings.Contains(files, "tensorboard") {
			t.Errorf("a run's hashes are of %s", files)
		}
	}
}
