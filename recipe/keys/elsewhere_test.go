package keys_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"parley/recipe"
	"parley/recipe/keys"
	"parley/recipe/language"
	"parley/recipe/schema"
)

// lang is the language of the shipped recipes.
var lang = language.New()

// exists says that a key is a general one, or one of some task.
func exists(key string) bool {
	if lang.General().Find(key) != nil {
		return true
	}
	for _, t := range lang.Tasks() {
		if slices.ContainsFunc(lang.TaskKeys(t.Name), func(f *schema.Field) bool { return f.Path == key }) {
			return true
		}
	}
	return false
}

// TestRenamedKeys: a key of an earlier release, in a file, in a flow section or in a --set, is an error that names the present key, and every
// present key of the table exists.
func TestRenamedKeys(t *testing.T) {
	renamed, _ := keys.Tables()
	for old, now := range renamed {
		if !exists(now) {
			t.Errorf("%s is renamed to %s, which does not exist", old, now)
		}
		if exists(old) {
			t.Errorf("%s is renamed and exists", old)
		}
		_, err := lang.Parse("test.yaml", []byte("name: x\n"), []string{old + "=1"})
		if err == nil || !strings.Contains(err.Error(), "renamed to "+now) {
			t.Errorf("--set %s: %v", old, err)
		}
	}
	_, err := lang.Parse("test.yaml", []byte("name: x\noptimiser: {lr: 0.1}\ntraining:\n  questions: 4\n"), []string{"optimiser.lr=1"})
	var wrong *recipe.Errors
	if !errors.As(err, &wrong) || !recipe.Renamed(wrong) || len(wrong.List) != 3 {
		t.Fatalf("errors %v", err)
	}
	if want := "test.yaml:4:3: training.questions has been renamed to training.problems; write problems in training"; wrong.List[1].Error() != want {
		t.Errorf("error %q, want %q", wrong.List[1].Error(), want)
	}
}

// TestAbsentKeys: a key of a published code that there is none of is refused with the reason.
func TestAbsentKeys(t *testing.T) {
	for _, value := range []string{"value_only", "value_assisted"} {
		_, err := lang.Load("c3-tiny", []string{"group.variant=" + value})
		if err == nil || !strings.Contains(err.Error(), "value_only and value_assisted of the published code need a critic") {
			t.Errorf("group.variant=%s: %v", value, err)
		}
	}
	if exists("group.variant") {
		t.Error("group.variant is refused and exists")
	}
}

// TestKeysOfOtherTools: what users of TRL, verl and prime-rl type gets a hint with our key.
func TestKeysOfOtherTools(t *testing.T) {
	_, foreign := keys.Tables()
	for theirs, ours := range foreign {
		for _, key := range strings.FieldsFunc(ours, func(r rune) bool { return r == ' ' || r == ',' }) {
			if strings.Contains(key, ".") && !exists(key) || ours == "model" && !exists("model") {
				t.Errorf("%s: the hint names %s, which does not exist", theirs, key)
			}
		}
	}
	for text, hint := range map[string]string{
		"name: x\nlearning_rate: 0.1":       "optimizer.lr",
		"name: x\nppo: {kl_coef: 0.1}":      "ppo.kl",
		"name: x\nmax_new_tokens: 10":       "sampling.max_tokens",
		"name: x\nnum_generations: 4":       "group.size",
		"name: x\nbatch_size: 4":            "training.problems",
		"name: x\nalgorithm: grpo":          "magrpo",
		"name: x\nalgorithm: ppo":           "mappo",
		"name: x\ntraining: {max_steps: 4}": "training.updates",
	} {
		if _, err := lang.Parse("test.yaml", []byte(text), nil); err == nil || !strings.Contains(err.Error(), hint) {
			t.Errorf("%q: error %v, want a hint with %s", text, err, hint)
		}
	}
}
