package recipe_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/recipe"
	"parley/recipe/language"
	"parley/rl/learn"
	"parley/rl/learn/ppo"
	"parley/team/protocols"
)

// lang is the language of the shipped recipes.
var lang = language.New()

// parse reads a recipe that must be fine.
func parse(t *testing.T, source string, sets ...string) *recipe.Recipe {
	t.Helper()
	r, err := lang.Parse("test.yaml", []byte(source), sets)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wrong reads a recipe that must not be fine and returns its errors as lines.
func wrong(t *testing.T, source string, sets ...string) []string {
	t.Helper()
	r, err := lang.Parse("f", []byte(source), sets)
	var list *recipe.Errors
	if !errors.As(err, &list) || r != nil {
		t.Fatalf("Parse(%q, %q) = %v, %v, want *Errors", source, sets, r, err)
	}
	return strings.Split(list.Error(), "\n")
}

func TestDefaults(t *testing.T) {
	r := parse(t, "name: x\n")
	if r.Team.Turns != 2 || r.Policies.Sharing != "per-turn" || r.Algorithm != "mappo" || r.Optimizer.Eps != 1e-8 {
		t.Errorf("defaults are not those of the tags: %+v", r)
	}
	if g, p := recipe.Section[learn.Group](r), recipe.Section[ppo.Settings](r); g.Terminate != nil || r.Eval.Baselines != nil || !p.Whiten {
		t.Errorf("absent keys: terminate %v, baselines %v, whiten %v", g.Terminate, r.Eval.Baselines, p.Whiten)
	}
}

// TestMAGRPOSection9Slice: all and null stand for 0, every assertion, in a file and in a flag.
func TestMAGRPOSection9Slice(t *testing.T) {
	const asked = "name: x\npreset: magrpo-humaneval\nteam: {turns: 2, feedback: diagnostics%s}\n"
	for text, want := range map[string]int{"": 1, ", sandbox_slice: all": 0, ", sandbox_slice: 'all'": 0, ", sandbox_slice: null": 0, ", sandbox_slice: -2": -2} {
		if got := parse(t, fmt.Sprintf(asked, text)).Team.SandboxSlice; got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	if got := parse(t, fmt.Sprintf(asked, ""), "team.sandbox_slice=all").Team.SandboxSlice; got != 0 {
		t.Errorf("the flag: %d", got)
	}
}

func TestValues(t *testing.T) {
	r := parse(t, `
# every way to write a value
name: 'quoted'
about: "with \"escapes\"\tand \u00e9"
seed: 7
algorithm: magrpo
team: {agents: 3, turns: 3}
policies:
  targets: [q_proj, "v_proj"]
reward:
  clamp:
    - -1
    - 2.5
optimizer: {lr: 1e-5, eps: 1e-10}
limits: {generations: 1000000}
training: {tensorboard: true, mlflow: {url: 'http://127.0.0.1:5000'}}
eval:
  baselines:
  - single
`)
	if r.About != "with \"escapes\"\tand é" || r.Team.Agents.N != 3 || r.Optimizer.LR != 1e-5 {
		t.Errorf("got %+v", r)
	}
	if m := r.Training.MLflow; r.Training.TensorBoard != "true" || m.URL != "http://127.0.0.1:5000" || m.Experiment != "parley" || m.TokenEnv != "" {
		t.Errorf("training %+v", r.Training)
	}
	if got := strings.Join(r.Policies.Targets, " "); got != "q_proj v_proj" {
		t.Errorf("targets %q", got)
	}
	if len(r.Reward.Clamp) != 2 || r.Reward.Clamp[1] != 2.5 || len(r.Eval.Baselines) != 1 {
		t.Errorf("lists %v %v", r.Reward.Clamp, r.Eval.Baselines)
	}
}

// TestErrors holds one recipe per mistake with all of its messages.
func TestErrors(t *testing.T) {
	cases := []struct{ name, source, want string }{
		{"unknown key", "name: x\nteam:\n  turnz: 3\n", `f:3:3: unknown key "turnz" in team; did you mean "turns"?`},
		{"key of another section", "name: x\nturns: 3\n", `f:2:1: unknown key "turns"; did you mean team.turns?`},
		{"key in two other sections", "name: x\nkl: 3\n", `f:2:1: unknown key "kl"; did you mean ppo.kl or group.kl?`},
		{"nothing near", "name: x\nconsensus: {}\nteam: {consensus: {qqqqqqq: 1}}\n", `f:2:1: unknown key "consensus"; expected one of `},
		{"duplicate key", "name: x\nseed: 1\nseed: 2\n", `f:3:1: seed is given twice, first on line 2; remove one`},
		{"number for text", "name: 12\n", `f:1:7: name is 12, expected a text; write "12"`},
		{"no folder", "name: x\ntraining: {tensorboard: false}\n", `f:2:25: training.tensorboard is false, expected a text or true; leave the key out`},
		{"no address", "name: x\ntraining: {mlflow: {url: localhost}}\n", `f:2:21: training.mlflow.url is "localhost", expected an http address; write for example url: http://127.0.0.1:5000`},
		{"text for number", "name: x\nseed: many\n", `f:2:7: seed is "many", expected a whole number`},
		{"quoted number", "name: x\nseed: '3'\n", `f:2:7: seed is the text "3", expected a whole number; leave out the quotes`},
		{"fraction", "name: x\nteam: {turns: 2.5}\n", `f:2:15: team.turns is "2.5", expected a whole number`},
		{"yes", "name: x\nppo: {whiten: yes}\n", `f:2:15: ppo.whiten is "yes", expected true or false; write true`},
		{"not a number", "name: x\nreward: {scale: .nan}\n", `f:2:17: reward.scale is ".nan", expected a number`},
		{"named nan", "name: x\nreward: {scale: NaN}\n", `f:2:17: reward.scale is NaN, expected a finite number`},
		{"infinite", "name: x\nreward: {scale: 1e999}\n", `f:2:17: reward.scale is "1e999", expected a number`},
		{"hexadecimal", "name: x\nreward: {scale: 0x1p-2}\n", `f:2:17: reward.scale is "0x1p-2", expected a number`},
		{"below range", "name: x\nteam:\n  agents: 0\n", `f:3:11: team.agents is 0, expected 1 to 64`},
		{"above range", "name: x\nppo:\n  lambda: 1.5\n", `f:3:11: ppo.lambda is 1.5, expected 0 to 1`},
		{"number without its unit", "name: x\nmemory: 8\n", `f:2:9: memory is 8, expected a number with a unit; write 8GiB`},
		{"neither number nor all", "name: x\nteam: {sandbox_slice: some}\n", `f:2:23: team.sandbox_slice is "some", expected a whole number or all`},
		{"word", "name: x\nalgorithm: magrp\n", `f:2:12: algorithm is "magrp", expected one of mappo, magrpo, `},
		{"item", "name: x\npolicies: {targets: [q_proj, vproj]}\n", `f:2:30: policies.targets[1] is "vproj", expected one of q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj, qkv_proj, gate_up_proj; did you mean "v_proj"?`},
		{"section for value", "name: x\nseed: {a: 1}\n", `f:2:7: seed is a section, expected a whole number`},
		{"list for value", "name: x\nseed: [1]\n", `f:2:7: seed is a list, expected a whole number`},
		{"value for section", "name: x\nteam: debate\n", `f:2:7: team is "debate", expected keys: protocol, agents`},
		{"value for list", "name: x\neval: {baselines: single}\n", `f:2:19: eval.baselines is "single", expected a list of words; write [a, b] or one line "- a" each`},
		{"nothing for value", "name: x\nseed:\n", `f:2:7: seed has no value, expected a whole number; write a value or leave the key out`},
		{"nothing for section", "name: x\nteam:\n", `f:2:7: team is empty, expected keys: protocol`},
		{"list at the top", "- a\n", `f:1:1: the recipe is a list, expected keys: name`},
		{"anchor", "name: x\nseed: &a 3\n", `f:2:7: seed is an anchor or an alias, expected a whole number`},
		{"alias", "name: &n x\nabout: *n\n", `f:1:7: name is an anchor or an alias`},
		{"merge", "name: x\nteam:\n  <<: {turns: 3}\n", `f:3:3: only plain keys are allowed, no anchors, merges or complex keys; write the keys out`},
		{"tag", "name: x\nseed: !!int 3\n", `f:2:7: seed is a tag, expected a whole number`},
		{"second document", "name: x\n---\nname: y\n", `f:3:1: a second document begins, expected one recipe per file; remove the line ---`},
		{"syntax", "name: [x\n", `f:1:7: not YAML: `},
		{"bad encoding", "name: \"\xff\"\n", `f:1:1: the file is not valid UTF-8; save it as UTF-8`},
		{"too large", "name: x\n#" + strings.Repeat(".", 256<<10), `f:1:1: the file has 262153 bytes, expected a recipe of at most 262144`},
		{"deep brackets", strings.Repeat("[", 40_000), `f:1:65: sections and lists are in each other more than 64 deep`},
		{"many items", "name: x\nmodels:\n" + strings.Repeat("- a\n", 40_000), `f:10000:3: the text goes on after 20000 words and marks`},
		{"no name", "seed: 1\n", `f:1:1: name is "", expected letters`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := wrong(t, c.source)[0]; !strings.HasPrefix(got, c.want) {
				t.Errorf("%.200q\n got %s\nwant %s", c.source, got, c.want)
			}
		})
	}
}

// TestOnePass: rules are asked in the same pass as values, unless they are about a value that cannot be read, or about one that an unknown
// key may have been meant for.
func TestOnePass(t *testing.T) {
	for source, want := range map[string][]string{
		"name: x\nseed: many\nsampling: {min_tokens: 90, max_tokens: 80}\n":     {"f:2:7: seed is", "f:3:12: sampling.min_tokens is 90, expected at most sampling.max_tokens, 80"},
		"name: x\nseed: many\nsampling: {min_tokens: 90, max_tokens: no}\n":     {"f:2:7: seed is", "f:3:40: sampling.max_tokens is"},
		"name: x\nseed: many\nsampling: {min_tokens: 90, max_tokns: 100}\n":     {"f:2:7: seed is", "f:3:28: unknown key"},
		"name: x\nalgorithm: magrp\nsampling: {min_tokens: 90, max_tokens: 80}": {"f:2:12: algorithm is"},
		"name: x\nabout: [" + strings.Repeat("y", 100_000) + "]\n":              {"f:2:8: about is a list"},
		"name: x\nseed: " + strings.Repeat("y", 100_000) + "\n":                 {"f:2:7: seed is"},
	} {
		got := wrong(t, source)
		if len(got) != len(want) {
			t.Errorf("%.80q: %d errors, want %d:\n%.2000s", source, len(got), len(want), strings.Join(got, "\n"))
			continue
		}
		for i := range want {
			if !strings.HasPrefix(got[i], want[i]) || len(got[i]) > 1000 {
				t.Errorf("%.80q: %.300s, want %s", source, got[i], want[i])
			}
		}
	}
}

func TestAllErrorsAtOnce(t *testing.T) {
	got := wrong(t, "name: x\nsed: 1\nteam:\n  agents: none\n  turns: 9999\nppo: {clip: 0, clip: 1}\n", "reward.gama=1", "eval.problems=0")
	want := []string{
		"f:2:1: unknown", "f:4:11: team.agents", "f:5:10: team.turns", "f:6:13: ppo.clip is 0", "f:6:16: ppo.clip is given twice",
		`--set reward.gama=1: unknown key "reward.gama"; did you mean "reward.gamma"?`, "--set eval.problems=0: eval.problems is 0, expected at least 1",
	}
	if len(got) != len(want) {
		t.Fatalf("got %d errors, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("error %d\n got %s\nwant %s", i, got[i], want[i])
		}
	}
}

// TestTemplatesAreCheckedWithTheRest: a value that cannot be read hides no fault of a template or of a combination.
func TestTemplatesAreCheckedWithTheRest(t *testing.T) {
	got := wrong(t, "name: a b\nteam: {prompts: {first: '{{.Qestion}}', later: '{{.Others'}}\nsampling: {temperature: hot}\nreward: {source: user, user: {expression: '1', min: 3, max: 1}}\n")
	want := []string{
		"f:1:1: name is", "f:2:18: team.prompts.first: prompt template, line 1, .Qestion: there is no .Qestion; a template has .Question", "f:2:41: team.prompts.later: prompt template: ",
		"f:3:25: sampling.temperature", "f:4:56: reward.user.max is 1, expected more",
	}
	if len(got) != len(want) {
		t.Fatalf("got %d errors, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("error %d\n got %s\nwant %s", i, got[i], want[i])
		}
	}
}

func TestSet(t *testing.T) {
	r := parse(t, "name: x\nseed: 3\n", "algorithm=magrpo", "seed=9", "team.turns=3", "group.size=2", "model=C:\\models: [a]", "policies.targets=[q_proj, k_proj]",
		"reward.clamp=[-1, 1]", "about=", "optimizer.lr=2e-4", "team.prompts.first=a\nb=c", "group.normalize=true")
	if r.Seed != 9 || r.Team.Turns != 3 || r.Model != `C:\models: [a]` || r.Optimizer.LR != 2e-4 || !recipe.Section[learn.Group](r).Normalize {
		t.Errorf("got %+v", r)
	}
	if len(r.Policies.Targets) != 2 || r.Reward.Clamp[0] != -1 || r.Team.Prompts.First != "a\nb=c" {
		t.Errorf("got %+v", r)
	}
}

func TestSetErrors(t *testing.T) {
	for set, want := range map[string]string{
		"team.turns":            `--set team.turns: expected key=value; for example --set team.turns=3`,
		"turns=3":               `--set turns=3: unknown key "turns"; did you mean "team.turns"?`,
		"team=3":                `--set team=3: team is a section, expected one of its keys: protocol,`,
		"team.turns=":           `--set team.turns=: team.turns has no value, expected a whole number`,
		"team.turns='2'":        `--set team.turns='2': team.turns is the text "2", expected a whole number`,
		"team.turns={a: 1}":     `--set team.turns={a: 1}: team.turns is a section, expected a whole number`,
		"eval.pass_at=null":     `--set eval.pass_at=null: eval.pass_at has no value, expected a list of whole numbers; for none write []`,
		"experiment.variants=":  `--set experiment.variants=: experiment.variants has no value, expected a named list of changes; for none write {}`,
		"team.turns=[":          `--set team.turns=[: not YAML`,
		"policies.targets=mlp":  `--set policies.targets=mlp: policies.targets is "mlp", expected a list of words`,
		"team.protocol=debtae":  `--set team.protocol=debtae: team.protocol is "debtae", expected one of ` + protocolNames() + `; did you mean "debate"?`,
		"policies.targets=[up]": `--set policies.targets=[up]: policies.targets[0] is "up"`,
		"team.agents=1":         `--set team.agents=1: ppo.minibatches`,
		"zzzzzzzzzzzz=1":        `--set zzzzzzzzzzzz=1: unknown key "zzzzzzzzzzzz"; docs/recipes.md and its pages list all keys`,
	} {
		source := "name: x\n"
		if set == "team.agents=1" { // a rule that is broken by the flag points at the flag
			source, want = "name: x\nteam: {prompts: {roles: [a, b]}}\n", `f:2:18: team.prompts.roles has 2 texts, expected one for each of 1 agents`
		}
		if got := wrong(t, source, set)[0]; !strings.HasPrefix(got, want) {
			t.Errorf("--set %s\n got %s\nwant %s", set, got, want)
		}
	}
}

// protocolNames lists the registered protocols as errors do.
func protocolNames() string {
	var names []string
	for _, kind := range protocols.All() {
		names = append(names, kind.Name)
	}
	return strings.Join(names, ", ")
}

func TestLoad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(file, []byte("name: mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := lang.Load(file, []string{"seed=4"})
	if err != nil || r.Name != "mine" || r.Seed != 4 {
		t.Errorf("Load = %+v, %v", r, err)
	}
	_, err = lang.Load("debate-sum", nil)
	var unknown *recipe.UnknownError
	if !errors.As(err, &unknown) || unknown.Near != "debate-sums" {
		t.Errorf("Load of an unknown name = %v", err)
	}
	if _, err := lang.Load(t.TempDir(), nil); err == nil || errors.As(err, &unknown) {
		t.Errorf("Load of a folder = %v", err)
	}
}

// FuzzParse holds that a recipe which parses prints to one that parses to the same, and that errors are always a list.
func FuzzParse(f *testing.F) {
	// Seeds are short: what a recipe looks like when it is printed, with every key and its comment, takes the fuzzer minutes to make smaller.
	files, err := filepath.Glob("shipped/*.yaml")
	if err != nil || len(files) == 0 {
		f.Fatal("no recipes are shipped", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		if len(text) < 1000 {
			f.Add(text, "seed=2")
		}
	}
	for _, s := range []string{strings.Repeat("[", 1000), strings.Repeat("{a: ", 1000), strings.Repeat("- ", 1000), "", "name: x", "name: x\nteam: {turns: 3", "a: &a [*a]", "--- !!map\n", "name: |2\n  x", "? a\n: b", "name: \"\\x\"", "\t", "name: x\n<<: *y"} {
		f.Add([]byte(s), "team.prompts.first="+s)
	}
	f.Fuzz(func(t *testing.T, data []byte, set string) {
		r, err := lang.Parse("f", data, []string{set})
		var list *recipe.Errors
		if err != nil && (!errors.As(err, &list) || len(list.List) == 0) {
			t.Fatalf("error %v is no list", err)
		}
		if err == nil {
			roundTrip(t, r)
		}
	})
}
