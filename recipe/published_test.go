package recipe_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/internal/turn"
	"parley/recipe"
	"parley/rl/learn"
	"parley/rl/learn/group/words"
)

// TestPublishedRules: over every shipped workflow a rule's word gives the rule's values, in a file as behind --set, and what is printed of it reads as
// the same recipe; or it is refused for what the team lacks.
func TestPublishedRules(t *testing.T) {
	// What else a recipe has that a rule cannot be beside, in words of the refusals.
	lacks := map[string][]string{
		"ccpo":   {"group.without names none"},
		"drmamr": {"the team has one turn", "buffers hold parts of episodes"},
	}
	taken := map[string]int{}
	for i, name := range recipe.Names() {
		plain, err := lang.Load(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		if plain.Team.Protocol != "workflow" || !slices.Contains([]string{"magrpo", "atgrpo", "c3"}, plain.Algorithm) || len(plain.Experiment.Variants) > 0 {
			continue
		}
		for j, b := range words.Published() {
			if taken[b.Word] > 0 && !turn.Share(i+j) {
				continue
			}
			t.Run(name+" "+b.Word, func(t *testing.T) {
				r, err := lang.Load(name, []string{"credit.rule=" + b.Word})
				if err != nil {
					if !slices.ContainsFunc(lacks[b.Word], func(lack string) bool { return strings.Contains(err.Error(), lack) }) {
						t.Fatal(err)
					}
					return
				}
				taken[b.Word]++
				same, err := lang.Parse("printed", r.ApplyingYAML(), nil)
				if err != nil {
					t.Fatalf("what is printed of it: %v", err)
				}
				file, err := lang.Parse("file", fmt.Appendf(nil, "preset: %s\nname: %s\ncredit: {rule: %s}\n", name, name, b.Word), nil)
				if err != nil {
					t.Fatalf("as a file: %v", err)
				}
				for _, s := range []func(*recipe.Recipe) any{
					func(r *recipe.Recipe) any { return recipe.Section[words.Credit](r) }, func(r *recipe.Recipe) any { return recipe.Section[learn.Group](r) },
					func(r *recipe.Recipe) any { return recipe.Section[words.Loss](r) }, func(r *recipe.Recipe) any { return r.Algorithm },
				} {
					if !reflect.DeepEqual(s(r), s(same)) || !reflect.DeepEqual(s(r), s(file)) {
						t.Errorf("behind --set it is %+v, printed %+v, in a file %+v", s(r), s(same), s(file))
					}
				}
				long, err := lang.Load(name, append(slices.Clone(b.Set), "credit.rule=none"))
				if err != nil {
					t.Fatal(err)
				}
				recipe.ChangeSection(long, func(c *words.Credit) { c.Rule = b.Word })
				if string(long.YAML()) != string(r.YAML()) {
					t.Error("written word by word it is another recipe")
				}
			})
		}
	}
	for _, b := range words.Published() {
		if taken[b.Word] == 0 {
			t.Errorf("no shipped workflow takes %s", b.Word)
		}
	}
}

// TestRuleYields: what a file says itself beats the word, a later change beats an earlier one, and a rule that is none is refused.
func TestRuleYields(t *testing.T) {
	r, err := lang.Parse("file", []byte("preset: review-tiny\nname: mine\ncredit: {rule: drmas, single: zero}\n"), []string{"credit.std=population"})
	if err != nil {
		t.Fatal(err)
	}
	if c := recipe.Section[words.Credit](r); c.Single != "zero" || c.Std != "population" || c.Baseline != "agent" {
		t.Errorf("credit is %+v", c)
	}
	if _, err = lang.Load("review-tiny", []string{"credit.rule=drmsa"}); err == nil || !strings.Contains(err.Error(), "drmas") {
		t.Errorf("a rule that there is not: %v", err)
	}
	r, err = lang.Load("drmas-tiny", []string{"credit.rule=rae", "credit.rule=mgrpo"})
	if err != nil {
		t.Fatal(err)
	}
	if c := recipe.Section[words.Credit](r); c.Baseline != "agent" || c.Calls != "weight" || c.Std != "none" || c.Returns != "to_go" {
		t.Errorf("the last rule is mgrpo, but credit is %+v", c)
	}
}
