package recipe_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const several = `name: x
preset: debate-sums
experiment:
  seeds: [3, 1]
  variants:
    plain: []
    bold: [reward.incentives.alpha1=2, "name=y"]
`

// TestTrials: every variant with every seed, in order, each a single run with its changes.
func TestTrials(t *testing.T) {
	r := parse(t, several)
	roundTrip(t, r)
	trials, err := r.Trials()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, one := range trials {
		names = append(names, one.Name()+" "+one.Recipe.Name)
		if one.Recipe.Experiment.Active() || one.Recipe.Optimizer != r.Optimizer {
			t.Errorf("%s: experiment %v, optimizer %v", one.Name(), one.Recipe.Experiment, one.Recipe.Optimizer)
		}
		if bold := one.Variant == "bold"; (one.Recipe.Reward.Incentives.Alpha1 == 2) != bold {
			t.Errorf("%s: incentives %v", one.Name(), one.Recipe.Reward.Incentives)
		}
	}
	if want := []string{"plain-s3 x-plain", "plain-s1 x-plain", "bold-s3 y", "bold-s1 y"}; !reflect.DeepEqual(names, want) {
		t.Errorf("trials %q, want %q", names, want)
	}
	single, err := parse(t, "name: x\nseed: 7\n").Trials()
	if err != nil || len(single) != 1 || single[0].Name() != "s7" {
		t.Errorf("a single run has trials %v, %v", single, err)
	}
}

// TestPreset: a preset's values are those of a file that leaves them out, and its own name and experiment are not.
func TestPreset(t *testing.T) {
	of := parse(t, "name: x\npreset: debate-sums\nppo: {epochs: 3}\n", "team.turns=3")
	want, err := lang.Load("debate-sums", []string{"ppo.epochs=3", "team.turns=3", "name=x"})
	if err != nil {
		t.Fatal(err)
	}
	want.Preset, want.About, want.Minutes = "debate-sums", "", 0
	if !reflect.DeepEqual(of, want) {
		t.Errorf("got\n%s\nwant\n%s", of.YAML(), want.YAML())
	}
}

func TestExperimentErrors(t *testing.T) {
	for source, want := range map[string]string{
		"name: x\nexperiment:\n  seeds: [" + strings.Repeat("1, ", 200) + "1]\n":    "experiment asks for 201 runs, expected at most 200",
		"name: x\nexperiment:\n  seeds: [1, 2, 1]\n":                                "f:3:3: experiment.seeds names 1 twice, which is the same run again; remove one",
		"name: x\nexperiment:\n  variants: {a: [], b: [seed=1]}\n":                  "f:3:3: variants a and b are the same run; remove one",
		"name: x\nexperiment:\n  variants: {a: [seed=1], b: [seed=2], c: [seed=2]}": "variants b and c are the same run",
		"name: x\nexperiment:\n  seeds: [1, 2]\n  variants: {a: [seed=1]}\n":        "variant a sets seed, but every variant is run with each of experiment.seeds; leave its seed out",
		"name: x\nexperiment:\n  variants: {a: [], A: [seed=3]}\n":                  "experiment.variants names a and A, whose folders some disks cannot tell apart",
		"name: x\nexperiment: {variants: {a: ['experiment.seeds=[1, 2]']}}\n":       "variant a is an experiment itself, expected changes of a single run",
		"preset: no-such\nname: x\n":                                                `f:1:9: preset is "no-such", expected a shipped recipe`,
		"preset: debate-sms\nname: x\n":                                             `f:1:9: preset is "debate-sms", expected a shipped recipe; did you mean "debate-sums"?`,
		"name: x\nexperiment:\n  variants: [a]\n":                                   "experiment.variants is a list, expected a name",
		"name: x\nexperiment:\n  variants:\n    a/b: []\n":                          "experiment.variants has a name that is no folder's name",
		"name: x\nexperiment:\n  variants: {a: [], a: []}\n":                        "experiment.variants names a twice",
		"name: x\nexperiment:\n  variants:\n    a: x\n":                             `experiment.variants.a is "x", expected a list of texts`,
		"name: x\nexperiment:\n  variants:\n    a: [team.turn=3]\n":                 `f:3:3: variant a: unknown key "team.turn"`,
		"name: x\nexperiment:\n  variants:\n    a: [preset=debate-sums]":            "variant a: preset is read before everything else",
	} {
		if got := wrong(t, source); len(got) != 1 || !contains(got[0], want) {
			t.Errorf("%q: got %q, want %q", source, got, want)
		}
	}
}

// TestWarningsOfVariants: a warning that is not about all variants says which it is about.
func TestWarningsOfVariants(t *testing.T) {
	w := parse(t, "name: x\nexperiment:\n  seeds: [1, 2]\n  variants: {quick: [], still: [optimizer.lr=0]}\n").Warnings()
	if len(w) != 1 || w[0] != "variant still: optimizer.lr is 0: nothing is learned" {
		t.Errorf("warnings %q", w)
	}
	w = parse(t, "name: x\noptimizer: {lr: 0}\nexperiment:\n  variants: {a: [], b: [team.turns=1]}\n").Warnings()
	if len(w) != 1 || w[0] != "optimizer.lr is 0: nothing is learned" {
		t.Errorf("warnings %q", w)
	}
}

// TestSeedOfExperiment: a seed beside those of an experiment is refused with both remedies, and a recipe that leaves its own out has that of the
// first run: what prints it prints a seed that is used.
func TestSeedOfExperiment(t *testing.T) {
	const seeds = "name: x\nexperiment: {seeds: [3, 4]}\n"
	const variants = "name: x\nexperiment: {variants: {a: [seed=5], b: [seed=6]}}\n"
	for _, c := range []struct {
		source, set string
		seed        int
		want        string
	}{
		{seeds, "", 3, ""},
		{variants, "", 5, ""},
		{"name: x\nseed: 4\nexperiment: {seeds: [3, 4]}\n", "", 4, ""},
		{"name: x\nexperiment: {variants: {a: [], b: [team.turns=1]}}\n", "seed=77", 77, ""},
		{seeds, "experiment.seeds=[77]", 77, ""},
		{"name: x\nexperiment: {seeds: [77]}\n", "seed=77", 77, ""},
		{seeds, "seed=77", 0, "--set seed=77: seed is 77, but experiment.seeds says with which seeds the runs are made: 3 4; leave seed out, or write --set experiment.seeds=[77]"},
		{seeds, "seed=3", 0, "leave seed out, or write --set experiment.seeds=[3]"},
		{variants, "seed=5", 0, "experiment.variants says with which seeds the runs are made: 5 6; leave seed out, here or in every variant"},
	} {
		var sets []string
		if c.set != "" {
			sets = []string{c.set}
		}
		r, err := lang.Parse("f", []byte(c.source), sets)
		switch {
		case c.want == "" && (err != nil || r.Seed != c.seed):
			t.Errorf("%q %q: %v, %v", c.source, c.set, r, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%q %q: error %v, want %s", c.source, c.set, err, c.want)
		}
		if err == nil {
			roundTrip(t, r)
		}
	}
	file := filepath.Join(t.TempDir(), "own.yaml")
	if err := os.WriteFile(file, []byte("name: x\nseed: 9\nexperiment: {seeds: [3, 4]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := lang.Load(file, nil); err == nil || !strings.Contains(err.Error(), "own.yaml:2:1: seed is 9, but no run of the experiment would have it: experiment.seeds is [3 4]; leave seed out, or write experiment: {seeds: [9]}") {
		t.Errorf("a file that contradicts itself: %v", err)
	}
}
