package recipe_test

import (
	"reflect"
	"slices"
	"testing"

	"parley/recipe"
	"parley/rl/learn"
	"parley/rl/learn/ppo"
	"parley/team"

	"pgregory.net/rapid"
)

type tester interface{ Fatalf(string, ...any) }

// roundTrip checks Parse(YAML(r)) == r.
func roundTrip(t tester, r *recipe.Recipe) {
	again, err := lang.Parse("printed", r.YAML(), nil)
	if err != nil {
		t.Fatalf("a printed recipe is refused: %v\n%s", err, r.YAML())
	}
	if !reflect.DeepEqual(r, again) {
		t.Fatalf("a printed recipe is another:\n%+v\n%+v\n%s", r, again, r.YAML())
	}
}

// texts are what people put into prompts, and what breaks printers.
func texts() *rapid.Generator[string] {
	return rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~\n\t]{0,40}`), rapid.SampledFrom([]string{
		"true", "No", "null", "~", "12", "1e5", ".5", "- a", "a: b", "# a", "a #b", " a", "a ", "\n", "a\n", "a\n\n", "\na", "a\n b", " a\nb", "a\n\n\nb\n",
		"a\r\nb", "'", `"`, `\`, "%", "@", "{{.Question}}", "|", ">", "&a", "*a", "!a", "?", ":", "a:", "é", "a\u00a0b", "\u2028", "\ufeff", "\x00", "😀\n😀", "---", "...", "a\n---\nb", "a\n  \nb",
	}))
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := lang.Defaults()
		r.Name = rapid.StringMatching(`[A-Za-z0-9][A-Za-z0-9._-]{0,8}`).Draw(t, "name")
		r.About = texts().Draw(t, "about")
		r.Model = "m" + texts().Draw(t, "model")
		r.Seed = rapid.IntRange(0, 1<<62).Draw(t, "seed")
		coef := rapid.Float64Range(0, 1e9).Draw(t, "value coefficient")
		r.Eval.Temperature = rapid.Float64Range(0, 1).Draw(t, "temperature")
		r.Optimizer.LR = rapid.Float64Range(0, 1e9).Draw(t, "lr")
		whiten := rapid.Bool().Draw(t, "whiten")
		if rapid.Bool().Draw(t, "roles") {
			r.Team.Prompts.Roles = rapid.SliceOfN(texts(), 2, 2).Draw(t, "role texts")
		}
		if rapid.Bool().Draw(t, "chain") {
			r.Algorithm = "magrpo"
			r.Reward.Scale = rapid.Float64Range(-1e9, 1e9).Draw(t, "scale")
			r.Reward.Shift = rapid.Float64Range(-1, 1).Draw(t, "shift")
			x := rapid.Float64Range(-1e9, 1e9).Draw(t, "terminate")
			recipe.ChangeSection(r, func(g *learn.Group) {
				g.Rollout, g.Terminate, g.TurnWeights = "chain", &x, []float64{1, rapid.Float64Range(-1e9, 1e9).Draw(t, "weight")}
			})
		} else {
			recipe.ChangeSection(r, func(p *ppo.Settings) { p.ValueCoef, p.Whiten = coef, whiten })
		}
		roundTrip(t, r)
	})
}

// TestBlocks checks that prompts of several lines stay readable in print.
func TestBlocks(t *testing.T) {
	r := parse(t, "name: x\nteam:\n  prompts:\n    first: |\n      Question: {{.Question}}\n\n      Answer: \\boxed{XX}\n")
	want := "    first: |\n      Question: {{.Question}}\n\n      Answer: \\boxed{XX}\n"
	if got := string(r.YAML()); !contains(got, want) {
		t.Errorf("no block in\n%s", got)
	}
	roundTrip(t, r)
}

func TestShipped(t *testing.T) {
	want := map[string]bool{
		"debate-sums": true, "debate-sums-feedback": true, "debate-sums-shared": true, "debate-sums-per-agent": true, "debate-sums-per-turn": true,
		"magrpo-tiny": true, "magrpo-tiny-cross": true, "single-tiny": true, "magrpo-smollm-tldr": true, "debate-smollm-sums": true,
		"debate-smollm-svamp": true,
		"debate-sums-mixed":   true,
	}
	for _, r := range lang.Shipped() {
		delete(want, r.Name)
		roundTrip(t, r)
		if w := r.Warnings(); len(w) > 0 || r.About == "" {
			t.Errorf("%s: about %q, warnings %q", r.Name, r.About, w)
		}
	}
	if len(want) > 0 {
		t.Errorf("not shipped: %v", want)
	}
	if _, err := lang.Load(recipe.DefaultName, nil); err != nil {
		t.Error(err)
	}
}

// TestShippedPrompts checks that the recipes over the shipped base ask in the form that it was made with.
func TestShippedPrompts(t *testing.T) {
	for _, r := range lang.Shipped() {
		if r.Algorithm == "collab" { // its adapters were trained with a prompt of their own
			continue
		}
		if r.Stepwise() || r.Task.Name != "sums" || slices.ContainsFunc(r.Bases(), func(base string) bool { return base != lang.Defaults().Model }) {
			continue
		}
		if p := r.Team.Prompts; p.First != team.Short.First || r.Team.Turns > 1 && p.Later != team.Short.Later {
			t.Errorf("%s: prompts\n%s\n%s\nare not those of team.Short", r.Name, p.First, p.Later)
		}
	}
}
