package keep_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"parley/engine"
	"parley/rl/rollout"
	"parley/rl/rollout/keep"
	"parley/task"
	"parley/team"
	"parley/team/workflow"
)

// letters is a codec of one token a letter.
type letters struct{}

func (letters) Prompt(dialogue []team.Message) (out []int, err error) {
	for _, m := range dialogue {
		for _, r := range m.Content + "|" {
			out = append(out, int(r))
		}
	}
	return out, nil
}

func (letters) Text(tokens []int) string { return textOf(tokens) }
func (letters) Stop() []int              { return nil }

func textOf(tokens []int) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteRune(rune(t))
	}
	return b.String()
}

// script says what is next on its list.
type script struct {
	engine.Engine
	says *[]string
}

func (s script) Sample(_ context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	out := make([]engine.Sample, len(reqs))
	for i := range reqs {
		for _, r := range (*s.says)[0] {
			out[i].Tokens, out[i].Logprobs = append(out[i].Tokens, int(r)), append(out[i].Logprobs, -1)
		}
		out[i].Stop = engine.StopEOS
		*s.says = (*s.says)[1:]
	}
	return out, nil
}

type nothing struct{}

func (nothing) Score(_ context.Context, turn []rollout.ScoreItem) error {
	for _, item := range turn {
		item.Node.Rewards = make([]float64, len(item.Node.Joint))
	}
	return nil
}

// played is an episode of a team in which a writer and a critic say what is given, with what it would have been without others.
func played(t *testing.T, rule keep.Counterfactual, until string, context int, says ...string) *rollout.Episode {
	t.Helper()
	w, err := workflow.New(workflow.Spec{
		Agents: []workflow.Agent{{Name: "writer"}, {Name: "critic"}},
		Steps: []workflow.Step{{
			Place: "team.workflow[0]", Repeat: 2, Until: until, Steps: []workflow.Step{
				{Place: "team.workflow[0].steps[0]", Ask: []string{"writer"}, Prompts: []string{"w{{range .All}}<{{.Text}}>{{end}}"}},
				{Place: "team.workflow[0].steps[1]", Ask: []string{"critic"}, Prompts: []string{"c{{range .All}}<{{.Text}}>{{end}}"}},
			},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := &rollout.Runner{Protocol: w, Scorer: nothing{}, Settings: rollout.Settings{Group: 1, MaxTokens: 4}}
	if rule.Restart != "" {
		r.Protocol = team.Restart(w, rule.Restart)
	}
	for range 2 {
		r.Actors = append(r.Actors, rollout.Actor{Engine: script{says: &says}, Codec: letters{}, Context: context, Policy: func(int) engine.Policy { return "p" }})
	}
	r.Finish = func(purpose string, episodes []*rollout.Episode) { rule.Add(r, purpose, episodes) }
	episodes, err := r.Run(t.Context(), "test", 0, []task.Problem{{ID: "one", Question: "?"}})
	if err != nil {
		t.Fatal(err)
	}
	return episodes[0]
}

// prompts are the counterfactual ones of each node as texts; "same" where nothing would change.
func prompts(e *rollout.Episode) (out [][]string) {
	for _, n := range e.Nodes {
		var these []string
		for _, c := range n.Agents[0].Counterfactuals {
			p := textOf(c.Prompt)
			if len(c.Prompt) == 0 {
				p = "same"
			}
			these = append(these, p)
		}
		out = append(out, these)
	}
	return out
}

func expect(t *testing.T, what string, e *rollout.Episode, want ...[]string) {
	t.Helper()
	if got := prompts(e); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// TestMasked: every message has the prompt that it would have had, had the one before not been said.
func TestMasked(t *testing.T) {
	rule := keep.Counterfactual{Masked: true}
	expect(t, "all go on", played(t, rule, "", 0, "a", "b", "c", "d"), nil, []string{"c<>|"}, []string{"w<a><>|"}, []string{"c<a><b><>|"})
	expect(t, "the flow hangs on it", played(t, rule, `said("critic").text == ""`, 0, "a", "b", "c", "d"), nil, []string{"c<>|"}, nil, []string{"c<a><b><>|"})
}

// TestKept: the last message has the prompt that shows what a restart has dropped.
func TestKept(t *testing.T) {
	rule := keep.Counterfactual{Restart: "!"}
	e := played(t, rule, "", 0, "a", "b", "c!", "d")
	if got := textOf(e.Nodes[3].Agents[0].Prompt); got != "c<><b><c!>|" {
		t.Errorf("behind the restart the critic reads %q", got)
	}
	expect(t, "a restart", e, nil, nil, nil, []string{"c<a><b><c!>|"})
	expect(t, "a restart of nothing", played(t, rule, "", 0, "a!", "b", "c", "d"), nil, nil, nil, []string{"same"})
	expect(t, "no room", played(t, rule, "", 12, "a", "b", "c!", "d"), nil, nil, nil, nil)
	expect(t, "no restart", played(t, rule, "", 0, "a", "b", "c", "d"), nil, nil, nil, nil)
}
