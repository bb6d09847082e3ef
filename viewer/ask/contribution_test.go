package ask_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/recipe/language"
	"parley/runs"
	"parley/train"
	"parley/viewer/ask"
)

// planted is a team of a solver, whose text is computed to be the answer, a twin of it whom nobody reads, and an editor who decides nothing.
const planted = `
name: planted
task: {name: sums}
team:
  protocol: workflow
  agents: {solver: {}, mute: {}, editor: {}}
  workflow:
    - ask: [solver, mute]
      prompt: |-
        Question: {{.Question}}
        Solve step by step. Answer: \boxed{XX}
    - ask: editor
      prompt: |-
        Question: {{.Question}}
        Agent 1 solution: {{.Last.solver}}
        Once again, the question is: {{.Question}}
  answer: '=said("solver").text'
policies: {sharing: per-agent}
sampling: {max_tokens: 48}
algorithm: magrpo
group: {rollout: episodes, size: 4, discount: 1}
training: {updates: 4, problems: 4, checkpoint: 1}
eval: {problems: 24, baselines: []}
`

// trainedBy trains a recipe and returns its run.
func trainedBy(t *testing.T, text string, sets ...string) string {
	t.Helper()
	l := language.New()
	r, err := l.Parse("recipe.yaml", []byte(text), sets)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), r.Name)
	if _, err := train.Run(t.Context(), train.Options{Recipe: r, Language: l, Backend: native.Backend{}, Dir: dir, MaxUpdates: -1, Version: "test"}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func optionsOf(dir string) ask.ContributionOptions {
	return ask.ContributionOptions{Dir: dir, Language: language.New(), Backend: native.Backend{}}
}

func contributed(t *testing.T, o ask.ContributionOptions) *ask.Contribution {
	t.Helper()
	c, err := ask.Contribute(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestPlantedAgents: an agent whom nobody reads is found to be of no use, with an interval that holds 0, and one that all hangs on is found to be
// essential. The team has the score of its report, Shapley's values add up, and what is kept is not played again.
func TestPlantedAgents(t *testing.T) {
	dir := trainedBy(t, planted)
	played := 0
	o := optionsOf(dir)
	o.Tell = func(string) { played++ }
	c := contributed(t, o)
	report, err := runs.ReadReport(dir)
	if row, ok := report.Row(runs.Trained); err != nil || !ok || *c.Score != row.Score || c.Problems != 24 || c.Update != 4 {
		t.Errorf("the team has %v on %d problems after update %d, its report %v, %v", *c.Score, c.Problems, c.Update, row.Score, err)
	}
	solver, mute, editor := c.Agents[0], c.Agents[1], c.Agents[2]
	for _, a := range []ask.AgentContribution{mute, editor} {
		if a.LeftOut.Difference != 0 || a.LeftOut.CI95 != [2]float64{} || *a.Shapley != 0 || !strings.HasSuffix(a.Sentence, "over 24 problems): no difference is shown") {
			t.Errorf("%s: %+v, %s", a.Agent, a.LeftOut, a.Sentence)
		}
	}
	if solver.LeftOut.Score != 0 || solver.LeftOut.CI95[1] >= 0 || !strings.HasPrefix(solver.Sentence, "without solver: accuracy ") || !strings.HasSuffix(solver.Sentence, ": the team is worse without it") {
		t.Errorf("solver: %+v, %s", solver.LeftOut, solver.Sentence)
	}
	if solver.Untrained == nil || math.Abs(*solver.Shapley+*mute.Shapley+*editor.Shapley-*c.Score+*c.Nobody) > 1e-12 || *c.Nobody != 0 {
		t.Errorf("values %v, %v and %v of %v less %v", *solver.Shapley, *mute.Shapley, *editor.Shapley, *c.Score, *c.Nobody)
	}
	// As it is, and without each; each untrained; coalitions of one and of none.
	if arms := 1 + 3 + 3 + 3 + 1; played != arms {
		t.Errorf("%d ways to play are told, expected %d", played, arms)
	}
	if *mute.ShareRead >= *solver.ShareRead || *solver.ShareRead != 1 || // where it says the same, that is read
		mute.Gradient == nil || math.Abs(*solver.Gradient+*mute.Gradient+*editor.Gradient-1) > 1e-9 {
		t.Errorf("read are %v and %v, gradients %v", *mute.ShareRead, *solver.ShareRead, mute.Gradient)
	}
	o.Backend = nil // nothing is opened
	again := contributed(t, o)
	if one, other := asJSON(t, c), asJSON(t, again); one != other {
		t.Errorf("at the second call it is\n%s\nand was\n%s", other, one)
	}
	known, err := ask.Contributed(t.Context(), o.Language, dir)
	if err != nil || known.Refused != "" || asJSON(t, known.Contribution) != asJSON(t, c) {
		t.Errorf("without playing it is %+v, %v", known, err)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestContributionGoesOn: what is interrupted is kept way by way, goes on there and comes to the same; what is damaged is played again.
func TestContributionGoesOn(t *testing.T) {
	dir := trainedBy(t, planted, "eval.problems=3", "training.updates=1")
	o := optionsOf(dir)
	o.Problems = 2
	whole := asJSON(t, contributed(t, o))
	file := filepath.Join(dir, ask.ContributionFile)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var told []string
	o.Tell = func(line string) {
		if told = append(told, line); len(told) == 3 {
			stop()
		}
	}
	if _, err := ask.Contribute(ctx, o); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "3 of 11 ways to play are kept") {
		t.Fatalf("interrupted: %v", err)
	}
	if got := asJSON(t, contributed(t, o)); got != whole || len(told) != 11 || !strings.HasPrefix(told[3], "4 of 11: ") {
		t.Errorf("it went on by %q to\n%s\nand unbroken is\n%s", told, got, whole)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), `"seed":1`, `"seed":2`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	told = nil
	if got := asJSON(t, contributed(t, o)); got != whole || len(told) != 12 || !strings.Contains(told[0], "it is damaged: it is played again") {
		t.Errorf("of a damaged file it is\n%s\n%q", got, told)
	}
	o.Seed = new(7)
	told = nil
	if contributed(t, o); len(told) != 11 {
		t.Errorf("another seed plays %d ways", len(told))
	}
}

// TestAbsence: what a team does without an agent follows from its protocol.
func TestAbsence(t *testing.T) {
	workflow := "name: x\ntask: {name: sums}\nteam:\n  protocol: workflow\n  agents: {a: {}, b: {}}\n  workflow: [{ask: a, prompt: '{{.Question}}'}, {ask: b, prompt: '{{.Question}}'}]\n"
	for name, x := range map[string]struct {
		text    string
		alone   []string
		refused string
	}{
		"the answer of one":      {workflow + "  answer: a\n", []string{"untrained", "left-out"}, ""},
		"the last text":          {workflow, []string{"left-out", "untrained"}, ""},
		"a vote":                 {workflow + "  answer: vote\n", []string{"left-out", "left-out"}, ""},
		"a frozen answerer":      {strings.Replace(workflow, "a: {}", "a: {frozen: true}", 1) + "  answer: a\n", []string{"never", "left-out"}, ""},
		"a debate":               {"preset: debate-sums\n", []string{"left-out", "left-out"}, ""},
		"texts that are a whole": {"preset: magrpo-tiny\n", []string{"left-out", "left-out"}, ""},
		"a pipeline":             {"preset: debate-sums\nteam: {protocol: pipeline}\n", []string{"left-out", "untrained"}, ""},
		"moves on a grid":        {"preset: path-tiny\n", []string{"untrained", "untrained"}, ""},
		"a game":                 {"preset: kuhn-selfplay-tiny\n", nil, "paid for itself alone"},
		"one agent":              {"preset: single-tiny\n", nil, "has one agent"},
		"one text of all":        {"preset: collab-tiny\n", nil, "token by token"},
		"one model for all":      {"preset: magrpo-tiny\nteam: {protocol: central}\n", nil, "one model writes for all agents"},
	} {
		t.Run(name, func(t *testing.T) {
			l := language.New()
			r, err := l.Parse("recipe.yaml", []byte(strings.Replace("name: x\n"+x.text, "name: x\nname: x\n", "name: x\n", 1)), nil)
			if err != nil {
				t.Fatal(err)
			}
			err = ask.Refused("x", r)
			if x.refused != "" {
				if err == nil || !strings.Contains(err.Error(), x.refused) {
					t.Errorf("it is refused with %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			list, err := ask.SeatsOf(t.Context(), r, native.Backend{})
			if err != nil {
				t.Fatal(err)
			}
			var alone []string
			for _, s := range list {
				alone = append(alone, s.Alone)
			}
			if !slices.Equal(alone, x.alone) {
				t.Errorf("its agents are absent as %q, expected %q", alone, x.alone)
			}
		})
	}
}
