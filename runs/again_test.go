package runs_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"parley/internal/usererror"
	"parley/runs"
)

// TestAgain: the command that goes on with a run has the bound of its last start, in every process, and its folder as one word.
func TestAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "it's mine")
	word := "'" + strings.ReplaceAll(dir, "'", `'\''`) + "'"
	r, err := runs.Create(dir, runs.Meta{Name: "a", Seed: 1})
	must(t, err)
	for _, c := range []struct {
		bound int
		want  string
	}{
		{-1, "parley train --resume " + word},
		{3, "parley train --resume " + word + " --max-updates 3"},
		{0, "parley train --resume " + word + " --max-updates 0"},
		{-1, "parley train --resume " + word},
	} {
		must(t, r.Bound(c.bound))
		r = reopen(t, r)
		if got := runs.Again(dir); got != c.want {
			t.Errorf("of a bound of %d: %s, want %s", c.bound, got, c.want)
		}
		must(t, os.MkdirAll(filepath.Join(dir, "taken", "x"), 0o755))
		var failed *runs.WriteError
		if err := r.WriteFile("taken", nil); !errors.As(err, &failed) || !strings.HasSuffix(err.Error(), "go on with: "+c.want) {
			t.Errorf("a failed write under a bound of %d: %v", c.bound, err)
		}
	}
	if meta, err := runs.Read(dir); err != nil || meta.Seed != 1 || meta.Name != "a" {
		t.Errorf("run.json became %+v, %v", meta, err)
	}
}

// TestAgainOfNoRun: a folder whose run.json cannot be read has no bound.
func TestAgainOfNoRun(t *testing.T) {
	if got := runs.Again("nowhere"); got != "parley train --resume nowhere" {
		t.Error(got)
	}
}

// TestAgainInPython: the call that goes on gives every callable again that the recipe calls, and no other.
func TestAgainInPython(t *testing.T) {
	t.Setenv(usererror.CallerVariable, "python")
	dir := filepath.Join(t.TempDir(), "r")
	for recipe, want := range map[string]string{
		"name: a\n": "",
		"reward:\n  user:\n    url: host:reward\nteam:\n  agents:\n    bob:\n      endpoint:\n        url: host:agents/bob\n    ann:\n      endpoint:\n        url: host:agents/ann\n  tools:\n    use: [calculator, host:tools]\n": ", reward=reward, agents=agents, tools=tools",
		"team:\n  tools:\n    use:\n      - host:tools\ntask:\n  environment:\n    url: host:environment\n":                                                                                                                         ", tools=tools, environment=environment",
		"team:\n  prompts:\n    ask: the host:reward is yours\n": "",
	} {
		must(t, os.RemoveAll(dir))
		r, err := runs.Create(dir, runs.Meta{Name: "a", Recipe: recipe})
		must(t, err)
		must(t, r.Close())
		if got := runs.Again(dir); got != "run = parley.train(resume="+strconv.Quote(dir)+want+")" {
			t.Errorf("%s\nis %s, want %s", recipe, got, want)
		}
	}
}
