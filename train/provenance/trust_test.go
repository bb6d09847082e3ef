package provenance

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/recipe"
	"parley/recipe/keys"
	"parley/recipe/language"
	"parley/recipe/schema"
	"parley/runs"
)

const outside = `name: x
task: {name: humaneval}
team: {protocol: parallel, turns: 2, feedback: expert, expert: {url: 'http://a/v1', model: m, key_env: EXPERT, recording: /r.jsonl}}
reward: {source: user, user: {url: 'http://b/x', key_env: SECRET}}
algorithm: magrpo
training: {tensorboard: /board, mlflow: {url: 'http://c', token_env: TRACK}}
experiment: {variants: {one: [], two: ['reward.user.url=', 'reward.user.key_env=', 'reward.user.command=[sh, "a b"]', training.tensorboard=true]}}
`

func parse(t *testing.T, text string) *recipe.Recipe {
	t.Helper()
	r, err := language.New().Parse("x.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func listed(t *testing.T, text string) (lines []string) {
	t.Helper()
	list, err := Reach(parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range list {
		lines = append(lines, a.Key+" "+a.What)
	}
	return lines
}

// TestReach: all that a recipe does outside is listed, what only a variant of an experiment does too; what the sandbox contains is not.
func TestReach(t *testing.T) {
	want := []string{
		"team.expert.url sends problems, answers or measurements to http://a/v1",
		"team.expert.key_env sends there the secret in the environment variable EXPERT",
		"team.expert.recording writes into /r.jsonl",
		"reward.user.url sends problems, answers or measurements to http://b/x",
		"reward.user.key_env sends there the secret in the environment variable SECRET",
		"training.tensorboard writes into /board",
		"training.mlflow.url sends problems, answers or measurements to http://c",
		"training.mlflow.token_env sends there the secret in the environment variable TRACK",
		"reward.user.command runs sh 'a b'",
	}
	if got := listed(t, outside); !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	team := "name: x\ntask: {name: sums}\nteam: {protocol: workflow, answer: a, workflow: [{ask: [a, b, c, d], prompt: x}], agents: {a: {}, b: {script: /b.star}, c: {program: [sh, /c.sh]}, d: {endpoint: {url: 'http://d/v1', model: m, token_env: SECRET}}}}\nalgorithm: magrpo\n"
	want = []string{
		"team.agents.c.program runs sh /c.sh",
		"team.agents.d.endpoint.url sends problems, answers or measurements to http://d/v1",
		"team.agents.d.endpoint.token_env sends there the secret in the environment variable SECRET",
	}
	if got := listed(t, team); !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	python := "name: x\ntask: {name: duet}\nteam: {protocol: parallel, turns: 1}\nalgorithm: magrpo\nreward: {source: user, user: {python: /x.py, isolated: ISOLATED}}\n"
	if got := listed(t, strings.Replace(python, "ISOLATED", "true", 1)); len(got) > 0 {
		t.Errorf("%q", got)
	}
	if got := listed(t, strings.Replace(python, "ISOLATED", "false", 1)); !slices.Equal(got, []string{"reward.user.python runs the Python file /x.py"}) {
		t.Errorf("%q", got)
	}
	world := "name: x\ntask: {name: environment, path: /items.jsonl, environment: {python: /w.py, isolated: ISOLATED}}\nteam: {protocol: workflow, agents: {a: {}}, workflow: [{ask: a, prompt: x}, {act: a}]}\nreward: {source: joint}\nalgorithm: magrpo\n"
	for isolated, want := range map[string][]string{"true": nil, "false": {"task.environment.python runs the Python file /w.py"}} {
		if got := listed(t, strings.Replace(world, "ISOLATED", isolated, 1)); !slices.Equal(got, want) {
			t.Errorf("an environment, isolated %s: %q, want %q", isolated, got, want)
		}
	}
	for _, name := range recipe.Names() {
		r, err := language.New().Load(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		if list, err := Reach(r); len(list) > 0 || err != nil {
			t.Errorf("the shipped recipe %s: %v, %v", name, list, err)
		}
	}
}

// TestEveryKeyIsKnown: a key that is named like one that reaches outside says how it does.
func TestEveryKeyIsKnown(t *testing.T) {
	suspicious := regexp.MustCompile(`(^|[._])(command|url|env|program|script|server|address|host|endpoint|python|recording|tensorboard)$|\.(out|output|log|port)$`)
	l, seen := language.New(), 0
	visit := func(f *schema.Field) {
		if !suspicious.MatchString(f.Path) || f.Path == "team.program" || f.Path == "script" { // Starlark, which has neither files nor servers
			return
		}
		seen++
		if f.Tag.Get("reach") == "" {
			t.Errorf("%s has no tag reach: say what it lets a recipe do outside", f.Path)
		}
	}
	l.General().Leaves(visit)
	schema.Of(reflect.TypeFor[keys.Agent]()).Leaves(visit)
	for _, kind := range l.Tasks() {
		for _, f := range l.TaskKeys(kind.Name) {
			f.Leaves(visit)
		}
	}
	if seen < 15 {
		t.Errorf("%d keys reach outside, want the 15 of today at least", seen)
	}
}

// create makes a run with a recipe, marked by the key in a folder.
func create(t *testing.T, config, text string) string {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", config)
	r := parse(t, text)
	mark, err := MarkTrusted(r, string(r.YAML()))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	run, err := runs.Create(dir, runs.Meta{Recipe: string(r.YAML()), Mark: mark})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func wantRefused(t *testing.T, what, dir, want string) {
	t.Helper()
	if err := CheckTrust(language.New(), dir); (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want %q", what, err, want)
	}
}

// TestCheck: a run passes with the mark of the user's key, and with no other.
func TestCheck(t *testing.T) {
	ours, theirs := t.TempDir(), t.TempDir()
	dir := create(t, ours, outside)
	wantRefused(t, "one's own", dir, "")
	foreign := create(t, theirs, outside)
	wantRefused(t, "made by the key in use", foreign, "")
	wantRefused(t, "another's", dir, "not made by you")
	t.Setenv("XDG_CONFIG_HOME", ours)
	wantRefused(t, "another's", foreign, "reward.user.command: runs sh 'a b'")
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(ours, "empty"))
	wantRefused(t, "without a key", dir, "there is none")

	key := filepath.Join(ours, "parley", "key")
	t.Setenv("XDG_CONFIG_HOME", ours)
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key: %v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(key, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, "a damaged key", dir, "is no key: remove it")
	if _, err := MarkTrusted(parse(t, outside), "x"); err == nil {
		t.Error("a damaged key makes marks")
	}
}

// TestRunsInside: a run in a run is looked at as well, behind a link too, and nothing that is no run is in the way.
func TestRunsInside(t *testing.T) {
	config := t.TempDir()
	plain := create(t, config, "name: x\n")
	bad := create(t, t.TempDir(), outside)
	t.Setenv("XDG_CONFIG_HOME", config)
	wantRefused(t, "a plain run", plain, "")
	for _, name := range []string{"other", "file"} {
		if err := os.WriteFile(filepath.Join(plain, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(bad, filepath.Join(plain, "s1")); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, "a run with another's in it", plain, "reward.user.url")
}

// TestOneKey: whoever makes the key at the same time has the same.
func TestOneKey(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	r := parse(t, outside)
	marks := make([]string, 16)
	var all sync.WaitGroup
	for i := range marks {
		all.Go(func() {
			var err error
			if marks[i], err = MarkTrusted(r, "x"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if slices.Sort(marks); marks[0] != marks[15] || len(marks[0]) != 64 {
		t.Errorf("%q", marks)
	}
	if mark, _ := MarkTrusted(r, "y"); mark == marks[0] {
		t.Error("another recipe has the same mark")
	}
}
