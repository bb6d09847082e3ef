package recipe_test

import (
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
