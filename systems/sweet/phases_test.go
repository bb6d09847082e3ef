package sweet

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/engine"
	"parley/rl/learn"
	"parley/rl/learn/learntest"
	"parley/rl/rollout"
)

// settings are those of a recipe, made small.
func settings(change func(*Settings)) Settings {
	s := Settings{
		Method: byAdvantage, Pairs: "best", Draws: 2, Threshold: 1, Epochs: 1, Batch: 4, Beta: .1, NLL: .01,
		Critic: Critic{Hidden: []string{"solution"}, Epochs: 2, Batch: 4, Beta: .1, NLL: .01, Rate: 1, Norm: "per_turn", Against: "with_c"},
	}
	if change != nil {
		change(&s)
	}
	return s
}

// pipeline is an untrained team of two, each with a critic beside it.
func pipeline(t *testing.T) *learntest.Team {
	m := learntest.NewTeam(t, learntest.Pipeline(t, 2), learn.Policies{Sharing: "per-agent", FirstTrainedTurn: 1}, learn.CriticsLanguage)
	m.Untrained, m.Group = true, 3
	return m
}

// secret is what the hidden field of a problem says.
func secret(e *rollout.Episode) string { return "the secret of " + e.Problem.ID }

// play has the team answer some problems, which have hidden fields.
func play(t *testing.T, m *learntest.Team, update, problems int) []*rollout.Episode {
	t.Helper()
	episodes := m.Play(t, update, problems)
	for _, e := range episodes {
		e.Problem.Fields = map[string]string{"solution": secret(e)}
	}
	return episodes
}

func open(t *testing.T, m *learntest.Team, s Settings, updates int, recorded map[int][]*rollout.Episode) learn.Learner {
	t.Helper()
	c := m.Config([]any{s, learn.Group{Size: 3, Rollout: "tree"}}, updates, 4)
	c.Recall = func(update int) ([]*rollout.Episode, error) { return recorded[update], nil }
	l, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestPhases: the critics learn at the end of their update and nobody else does, the policies in the last one and nobody else does; the base never
// changes. A learner that is opened anew between them, as after an interruption, goes on.
func TestPhases(t *testing.T) {
	m := pipeline(t)
	s := settings(func(s *Settings) { s.Critic.Updates = 2 })
	recorded := map[int][]*rollout.Episode{}
	for update, want := range [][]string{nil, {"value-agent1", "value-agent2"}, nil, {"policy-agent1", "policy-agent2"}} {
		before := m.Engine.Policies()
		episodes := play(t, m, update, 4)
		if err := open(t, m, s, 4, recorded).Update(t.Context(), learn.Recorded(update, episodes)); err != nil {
			t.Fatal(err)
		}
		if got := learntest.Changed(before, m.Engine.Policies()); !slices.Equal(got, want) {
			t.Errorf("update %d changes %v, want %v", update+1, got, want)
		}
		recorded[update+1] = learntest.Reread(t, episodes)
	}
}

// TestFrozenPartiesStay: beside a frozen user the agent alone learns, and it alone has a critic that does.
func TestFrozenPartiesStay(t *testing.T) {
	m := learntest.NewTeam(t, learntest.Pipeline(t, 2), learn.Policies{Sharing: "per-agent", FirstTrainedTurn: 1, Frozen: []int{2}}, learn.CriticsLanguage)
	m.Untrained, m.Group = true, 3
	before := m.Engine.Policies()
	if err := open(t, m, settings(nil), 1, nil).Update(t.Context(), learn.Recorded(0, play(t, m, 0, 4))); err != nil {
		t.Fatal(err)
	}
	if got := learntest.Changed(before, m.Engine.Policies()); !slices.Equal(got, []string{"policy-agent1", "value-agent1"}) {
		t.Errorf("%v change", got)
	}
}

// TestHiddenTextReachesTheCriticAlone: what the policies are scored and trained on begins with the prompts that the run recorded, token by token; the
// critics alone read something else, and what they read depends on the hidden field.
func TestHiddenTextReachesTheCriticAlone(t *testing.T) {
	calls := func(change func(*rollout.Episode)) (critics []string) {
		m := pipeline(t)
		episodes := play(t, m, 0, 4)
		var prompts []string
		for _, e := range episodes {
			change(e)
			for _, n := range e.Nodes {
				prompts = append(prompts, strings.Trim(fmt.Sprint(n.Agents[0].Prompt), "[]")+" ")
			}
		}
		if err := open(t, m, settings(nil), 1, nil).Update(t.Context(), learn.Recorded(0, episodes)); err != nil {
			t.Fatal(err)
		}
		learned := 0
		for _, call := range m.Engine.Calls {
			_, tokens, reads := strings.Cut(call, "[")
			if strings.Contains(call, " value-") {
				critics = append(critics, call)
			} else if strings.Contains(call, " policy-") && reads {
				learned++
				if !slices.ContainsFunc(prompts, func(p string) bool { return strings.HasPrefix(tokens, p) }) {
					t.Errorf("a policy reads [%s, which begins with no prompt of the run", tokens)
				}
			}
		}
		if learned == 0 || len(critics) == 0 {
			t.Errorf("%d texts of policies and %d of critics", learned, len(critics))
		}
		return critics
	}
	plain := calls(func(*rollout.Episode) {})
	if slices.Equal(plain, calls(func(e *rollout.Episode) { e.Problem.Fields["solution"] += "?" })) {
		t.Error("the critics do not read the field")
	}
}

// TestCriticWithoutHiddenFields: a critic that reads no field reads what the policies read, and learns all the same.
func TestCriticWithoutHiddenFields(t *testing.T) {
	m := pipeline(t)
	if s := learntest.Update(t, open(t, m, settings(func(s *Settings) { s.Critic.Hidden = nil }), 1, nil), 0, m.Play(t, 0, 4)); s.CriticPairs == 0 {
		t.Errorf("%d pairs", s.CriticPairs)
	}
}

// TestAbsentField: a critic that is to read what a problem has not is an error that names both.
func TestAbsentField(t *testing.T) {
	m := pipeline(t)
	err := open(t, m, settings(nil), 1, nil).Update(t.Context(), learn.Recorded(0, m.Play(t, 0, 4)))
	if err == nil || !strings.Contains(err.Error(), "sweet.critic.hidden names the field solution, which problem") {
		t.Errorf("error %v", err)
	}
}

// TestPrivilegedPrompt: the hidden texts stand before what the policy reads, or where the template has them, turn by turn.
func TestPrivilegedPrompt(t *testing.T) {
	for prompt, want := range map[string]string{
		"": "27\n41\nGuess.",
		"{{.Prompt}} It is {{line .Fields.solution .Turn}}{{line .Fields.solution 9}}.": "Guess. It is 41.",
		"{{.Prompt}}{{.Fields.other}}": "Guess.",
	} {
		template, err := parse(prompt)
		if err != nil {
			t.Fatal(err)
		}
		l := &learner{settings: settings(nil), prompt: template}
		var got string
		l.Actors = []rollout.Actor{{Codec: hearing{&got}}}
		asked := &rollout.AgentTurn{}
		asked.Messages = append(asked.Messages, chat("system", "Be short."), chat("user", "Guess."), chat("assistant", "1"), chat("user", "No."))
		m := &message{&learn.Answer{AgentTurn: asked, Completion: &rollout.Completion{Tokens: []int{1}}}, "p", map[string]string{"solution": "27\n41"}, 2}
		a, err := l.privileged(m)
		if err != nil {
			t.Fatal(err)
		}
		if whole := "Be short.|" + want + "|1|No.|"; got != whole || asked.Messages[1].Content != "Guess." || a.AgentTurn == asked {
			t.Errorf("%q: the critic reads %q, want %q; the policy %q", prompt, got, whole, asked.Messages[1].Content)
		}
	}
	for _, bad := range []string{"{{.Prompt", "{{.Truth}}", "{{line}}"} {
		if _, err := parse(bad); err == nil || !strings.Contains(err.Error(), "sweet.critic.prompt") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestReferenceIsTheBase: before anything is learned all advantages are 0, so that all pairs of candidates are dropped and the first loss of
// a critic is ln 2 and its share of the likelihood.
func TestReferenceIsTheBase(t *testing.T) {
	m := pipeline(t)
	episodes := play(t, m, 0, 4)
	l := open(t, m, settings(func(s *Settings) { s.Critic.Epochs, s.Critic.Batch, s.Critic.NLL = 1, 1000, 0 }), 1, nil).(*learner)
	for p, r := range l.recordsOf([]played{{0, episodes[0]}, {0, episodes[1]}}, false) {
		critic := learn.PolicyRef{Engine: m.Engine, Policy: engine.Policy(strings.Replace(string(p), "policy", "value", 1))}
		s := new(learn.Stats)
		pairs, err := l.ranked(t.Context(), critic, r.turns, s)
		if err != nil || len(pairs) > 0 || s.Candidates == 0 {
			t.Errorf("%s: %d pairs of %d candidates, %v", p, len(pairs), s.Candidates, err)
		}
		if err := l.learnCritic(t.Context(), critic, r, s); err != nil {
			t.Fatal(err)
		}
		if math.Abs(s.CriticLoss-math.Ln2) > 1e-6 || s.CriticPairs == 0 {
			t.Errorf("%s: loss %v of %d pairs, want ln 2", p, s.CriticLoss, s.CriticPairs)
		}
		if pairs, err = l.ranked(t.Context(), critic, r.turns, s); err != nil || len(pairs) == 0 {
			t.Errorf("%s: a critic that has learned ranks nothing: %v", p, err)
		}
		for _, x := range pairs {
			if x[0].AgentTurn != x[1].AgentTurn {
				t.Error("candidates of two prompts are compared")
			}
		}
	}
}
