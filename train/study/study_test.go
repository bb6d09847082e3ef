package study_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/recipe"
	"parley/recipe/language"
	"parley/train/study"
)

var lang = language.New()

const small = `name: small
question: Does it?
recipes:
  chain: chain-tiny
  quick: {recipe: chain-tiny, set: [optimizer.lr=0.002]}
factors:
  sharing: {own: [], shared: [policies.sharing=shared]}
without: {quick-shared: too quick}
seeds: [1, 7]
tokens: [1000, 3000]
pairs: {sharing: own, recipes: chain, tokens: "1000"}
`

// TestPlan: recipes, levels and budgets are crossed in order, each cell is run with every seed, and the recipe of a run says all of it.
func TestPlan(t *testing.T) {
	_, _, err := study.Parse(lang, "small.yaml", []byte(small))
	if err == nil || !strings.Contains(err.Error(), "without names quick-shared") {
		t.Fatalf("cells have the budget in their names: %v", err)
	}
	s, p, err := study.Parse(lang, "small.yaml", []byte(strings.ReplaceAll(small, "quick-shared", "quick-shared-*")))
	if err != nil {
		t.Fatal(err)
	}
	var cells []string
	for _, c := range p.Cells {
		cells = append(cells, c.Name)
	}
	if want := []string{"chain-own-1000", "chain-own-3000", "chain-shared-1000", "chain-shared-3000", "quick-own-1000", "quick-own-3000"}; !slices.Equal(cells, want) {
		t.Errorf("cells %v, want %v", cells, want)
	}
	if len(p.LeftOut) != 2 || p.LeftOut[1] != (study.Reason{Cells: "quick-shared-3000", Why: "too quick"}) {
		t.Errorf("left out %+v", p.LeftOut)
	}
	run := p.Runs[7]
	if r := run.Recipe; len(p.Runs) != 12 || run.Name != "chain-shared-3000-s7" || r.Seed != 7 || r.Policies.Sharing != "shared" || r.Training.Tokens != 3000 || r.Experiment.Active() {
		t.Errorf("run %s of %d: %s", run.Name, len(p.Runs), r.YAML())
	}
	tested := map[string]string{}
	for _, pair := range s.Pairs {
		for _, ab := range p.Tested(pair) {
			tested[pair.Dimension] += cells[ab[0]] + " " + cells[ab[1]] + "\n"
		}
	}
	for dimension, want := range map[string]string{
		"sharing": "chain-shared-1000 chain-own-1000\nchain-shared-3000 chain-own-3000\n",
		"recipes": "quick-own-1000 chain-own-1000\nquick-own-3000 chain-own-3000\n",
		"tokens":  "chain-own-3000 chain-own-1000\nchain-shared-3000 chain-shared-1000\nquick-own-3000 quick-own-1000\n",
	} {
		if tested[dimension] != want {
			t.Errorf("%s compares\n%s, want\n%s", dimension, tested[dimension], want)
		}
	}
}

// TestVariants: the variants of a recipe are cells of their own, with the study's seeds in place of the recipe's.
func TestVariants(t *testing.T) {
	_, p, err := study.Parse(lang, "f", []byte("name: x\nquestion: x\nrecipes: {e5: maporl-e5-tiny, sums: debate-sums}\nseeds: [4]\npairs: {variants: reinforced}\n"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range p.Runs {
		names = append(names, r.Name)
	}
	if want := []string{"e5-reinforced-s4", "e5-supervised-s4", "sums-s4"}; !slices.Equal(names, want) {
		t.Errorf("runs %v, want %v", names, want)
	}
	if p.Runs[1].Recipe.Algorithm != "sft" || p.Cells[2].Level(study.VariantsDimension) != "" {
		t.Errorf("%+v", p.Cells)
	}
}

// manyFactors are more cells than a machine can hold.
func manyFactors() string {
	var b strings.Builder
	for i := range 80 {
		fmt.Fprintf(&b, "f%d: {a: [], b: [], c: []}, ", i)
	}
	return b.String()
}

// TestMistakes: everything that is wrong is told at once, with its place.
func TestMistakes(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"empty": {"", `
f:1:1: name is "", expected letters, digits, dots, dashes and underscores; write for example name: sharing
f:1:1: question is empty: a study asks something; write for example question: Does sharing help?
f:1:1: recipes names none; write for example recipes: {chain: chain-tiny}
f:1:1: seeds names none; write for example seeds: [1, 2, 3, 4, 5]`},
		"values": {"name: a b\nquestion: q\nrecipes: {chain: chain-tiny, 'a/b': chain-tiny, none: {set: []}, list: [a]}\nseeds: [1, 1]\ntokens: [0]\nmetrics: [scor, play, play.exploitability]\ncurve: play.\nfactors: {recipes: {}, sharing: {own: own}}\n", `
f:1:1: name is "a b", expected letters, digits, dots, dashes and underscores; write for example name: sharing
f:3:37: recipes.a/b has a name that is no folder's name; write letters, digits, dots, dashes and underscores
f:3:55: recipes.none names no recipe; write for example {recipe: chain-tiny, set: [optimizer.lr=0.002]}
f:3:72: recipes.list is a list, expected a recipe's name, a file, or {recipe: …, set: […]}; write for example chain: chain-tiny
f:4:1: seeds names one twice, which is the same run again; remove one
f:5:10: tokens[0] is 0, expected at least 1
f:6:1: metrics names "scor", expected score, gain, return, overpaid, seconds, memory, tokens, updates or a number of a report's row such as play.exploitability; did you mean "score"?
f:6:1: metrics names "play", expected score, gain, return, overpaid, seconds, memory, tokens, updates or a number of a report's row such as play.exploitability
f:7:1: curve is "play.", expected return, accuracy, overpaid, play.NAME or none
f:8:20: factors.recipes has the name of another dimension; name the factor otherwise
f:8:20: factors.recipes has no level; write for example sharing: {own: [], shared: [policies.sharing=shared]}
f:8:39: factors.sharing.own is "own", expected a list of texts; write [a, b]`},
		"unknown": {small + "seed: [1]\n", `
f:12:1: unknown key "seed"; did you mean "seeds"?`},
		"pairs":   {"name: a\nquestion: q\nrecipes: {chain: chain-tiny}\nfactors: {sharing: {own: []}}\nseeds: [1]\npairs: {sharin: own, sharing: owns, recipes: []}\n", "\nf:6:9: pairs names sharin, which is no factor of the study; did you mean \"sharing\"?\nf:6:22: pairs.sharing names owns, which is no level of it; did you mean \"own\"?\nf:6:37: pairs.recipes names no level to compare with"},
		"nothing": {"name: a\nquestion: q\nrecipes: {chain: chain-tiny}\nfactors: {sharing: {own: []}}\nseeds: [1]\npairs: {sharing: own}\n", "\nf:6:9: pairs.sharing compares nothing: no two cells differ in it alone, with own as one level"},
		"recipes": {"name: a\nquestion: q\nrecipes:\n  chain: chain-tiny\n  two: chain-tinny\n  three: debate-sums\nset: [training.update=3]\nfactors: {f: {a: [], b: []}}\nseeds: [1]\ntokens: [5]\n", `
f:5:3: two: no recipe and no file is named "chain-tinny"; did you mean "chain-tiny"?
f:7:1: cell chain: --set training.update=3: unknown key "training.update"; did you mean "training.updates"?
f:7:1: cell three: --set training.update=3: unknown key "training.update"; did you mean "training.updates"?`},
		"many": {"name: a\nquestion: q\nrecipes: {chain: chain-tiny}\nfactors: {" + manyFactors() + "}\nseeds: [1, 2]\n", "\nf:4:1: the study asks for more than 500 runs; make several studies of it"},
		"levels": {"name: a\nquestion: q\nrecipes: {chain: chain-tiny}\nfactors: {f: {a: [group.sizes=3, policies.rank=0], b: [ppo.epochs=3]}}\nseeds: [1, 2]\n", `
f:4:19: cell chain-a: --set group.sizes=3: unknown key "group.sizes"; did you mean "group.size"?
f:4:34: cell chain-a: --set policies.rank=0: policies.rank is 0, expected 1 to 1024
f:4:56: cell chain-b: --set ppo.epochs=3: ppo.epochs has no effect with algorithm magrpo; leave it out`},
		"change of a recipe": {"name: a\nquestion: q\nrecipes:\n  chain: {recipe: chain-tiny, set: [a.b=1]}\nset: [b.c=1]\nseeds: [1]\n", `
f:4:3: cell chain: --set a.b=1: unknown key "a.b"; docs/recipes.md and its pages list all keys
f:5:1: cell chain: --set b.c=1: unknown key "b.c"; docs/recipes.md and its pages list all keys`},
		"budget": {"name: a\nquestion: q\nrecipes: {chain: chain-tiny}\nset: [training.tokens=9]\nfactors: {f: {a: [], b: [training.updates=3, training.tokens=5]}}\nseeds: [1]\ntokens: [5]\n", `
f:4:1: cell chain-a: training.tokens is 9, but tokens gives every run 5; leave training.tokens out of its changes, or write several budgets in tokens
f:5:26: cell chain-b: training.updates is 3, but tokens ends the training; leave training.updates out of its changes`},
		"seed":     {"name: a\nquestion: q\nrecipes: {chain: chain-tiny}\nfactors: {f: {a: [], b: [seed=3]}}\nseeds: [1, 3]\n", "\nf:4:26: cell chain-b: its changes set seed to 3, but every cell is run with each of seeds; leave seed out of its changes"},
		"no YAML":  {"name: x\n\tquestion: q\n", "\nf:2:1: not YAML: found character '\t' that cannot start any token"},
		"capitals": {"name: a\nquestion: q\nrecipes: {a: chain-tiny, A: chain-tiny}\nseeds: [1]\n", "\nf:3:1: the cells a and A differ in capitals alone, which some disks do not tell apart; rename a recipe or a level"},
		"budget of a cell": {"name: a\nquestion: q\nrecipes: {a: chain-tiny}\nfactors: {f: {b: [], c: []}}\nwithout: {a-c: why, x: why}\nseeds: [1]\ntokens: [5, 6]\npairs: {tokens: 7, f: [b, [c]]}\n", `
f:8:9: pairs.tokens names 7, which is no level of it; did you mean "5"?
f:8:27: pairs.f[1] is a list, expected the name of a level; put it in quotes`},
		"pattern": {"name: a\nquestion: q\nrecipes: {a: chain-tiny}\nfactors: {f: {b: [], c: []}}\nwithout: {a-c: why, xxxxxx: why}\nseeds: [1]\ntokens: [5, 6]\npairs: {tokens: 5}\n", `
f:5:11: without names a-c, which is no cell of the study; did you mean "a-c-*"?
f:5:21: without names xxxxxx, which is no cell of the study; a cell is named a-b-5, for example; * stands for anything`},
		"decay":     {"name: a\nquestion: q\nrecipes: {sums: debate-sums}\nseeds: [1]\ntokens: [5]\n", "\nf:3:11: cell sums: its learning rate falls over training.updates, but tokens ends the training; add optimizer.decay=none to set"},
		"twice":     {"name: a\nquestion: q\nrecipes: {a: chain-tiny, a-b: chain-tiny}\nfactors: {f: {b: [], b-b: []}}\nseeds: [1]\n", "\nf:3:1: two cells of the study are named a-b-b; rename a recipe or a level"},
		"no cell":   {"name: a\nquestion: q\nrecipes: {a: chain-tiny}\nwithout: {a: why, b: why}\nseeds: [1]\n", "\nf:4:19: without names b, which is no cell of the study; did you mean \"a\"?"},
		"none left": {"name: a\nquestion: q\nrecipes: {a: chain-tiny}\nwithout: {'*': why}\nseeds: [1]\n", "\nf:4:1: without leaves no cell to run"},
	} {
		_, _, err := study.Parse(lang, "f", []byte(c.file))
		if err == nil || "\n"+err.Error() != c.want {
			t.Errorf("%s:\n%v\nwant%s", name, err, c.want)
		}
	}
}

// TestLoad: a study's recipe in a file stands beside the study.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"mine.yaml": "preset: chain-tiny\nname: mine\n", "study.yaml": "name: s\nquestion: q\nrecipes: {mine: mine.yaml}\nseeds: [1]\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, p, err := study.Load(lang, filepath.Join(dir, "study.yaml")); err != nil || len(p.Runs) != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	var unknown *study.UnknownError
	if _, _, err := study.Load(lang, "role-sharing"); !errors.As(err, &unknown) || unknown.Near != "roles-sharing" {
		t.Errorf("an unknown name: %v", err)
	}
}

// TestShipped: the studies in the binary are what their files are called, and print as they read.
func TestShipped(t *testing.T) {
	for i, s := range study.All(lang) {
		if s.Name != study.Names()[i] || s.Minutes == 0 || len(s.Plan.Runs) == 0 {
			t.Errorf("%s: %v minutes, %d runs", s.Name, s.Minutes, len(s.Plan.Runs))
		}
		again, p, err := study.Parse(lang, s.Name, s.YAML())
		if err != nil || string(again.YAML()) != string(s.YAML()) || len(p.Runs) != len(s.Plan.Runs) {
			t.Errorf("%s: its print reads otherwise: %v\n%s", s.Name, err, s.YAML())
		}
	}
}

// FuzzParse: errors are always a list, and a study that is read prints to one that reads as the same.
func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	for _, text := range []string{"", "name: x", "recipes: {a: {recipe: [x]}}", "factors: {a: {b: {c: d}}}", "pairs: [a]", "without: {'[': a}", strings.Repeat("{a: ", 100), "name: |\n  x", "seeds: [999999999999999999999]"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, _, err := study.Parse(lang, "f", data)
		var list *recipe.Errors
		if err != nil && (!errors.As(err, &list) || len(list.List) == 0) {
			t.Fatalf("error %v is no list", err)
		}
		if err != nil {
			return
		}
		again, _, err := study.Parse(lang, "f", s.YAML())
		if err != nil || string(again.YAML()) != string(s.YAML()) {
			t.Fatalf("the print reads otherwise: %v\n%s", err, s.YAML())
		}
	})
}

// TestPathsOfLevels: a path of a level is whole in the recipes of its runs, as those that runs record are: a study goes on from any current folder.
func TestPathsOfLevels(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "pay.py", "def reward(problem, answers):\n    return 1.0\n")
	write(t, dir, "study.yaml", "name: a\nquestion: q\nrecipes: {a: magrpo-tiny}\nfactors: {pay: {task: [], mine: [reward.source=user, reward.user.python=pay.py]}}\nseeds: [1]\n")
	_, p, err := study.Load(language.New(), filepath.Join(dir, "study.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.Runs[1].Recipe.Reward.User.Python, filepath.Join(dir, "pay.py"); got != want {
		t.Errorf("reward.user.python is %s, want %s", got, want)
	}
}
