package chatsession_test

import (
	"regexp"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/recipe/language"
	"parley/serve"
	"parley/serve/chatsession"
	"parley/team"
	"parley/train/lineup"
)

func open(t *testing.T, recipe string, sets ...string) *chatsession.Loaded {
	t.Helper()
	r, err := language.New().Load(recipe, sets)
	if err != nil {
		t.Fatal(err)
	}
	l, err := lineup.Open(t.Context(), r, native.Backend{})
	if err != nil {
		t.Fatal(err)
	}
	team, err := chatsession.TeamOf(t.Context(), l, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { team.Close() })
	return team
}

// TestFree: teams that need nothing but a question can be asked one, and others say what they need.
func TestFree(t *testing.T) {
	for _, c := range []struct {
		recipe, why string // no why: it can be asked
		sets        []string
	}{
		{"chain-tiny", "", nil},
		{"tool-sums-tiny", "", nil},
		{"vote-tiny", "", nil},
		{"collab-tiny", "", nil},
		{"debate-sums", "", nil},
		{"debate-sums", "a verifier's scores", []string{"team.reward_feedback=true"}},
		{"path-tiny", "acts in an environment", nil},
		{"kuhn-selfplay-tiny", "acts in an environment", nil},
		{"magrpo-housebuild-tiny", `there is no "size"`, nil},
	} {
		err := open(t, c.recipe, c.sets...).Free()
		if (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s %v: %v, want %q", c.recipe, c.sets, err, c.why)
		}
	}
}

// TestNumbered: an agent is called by its name or by its number.
func TestNumbered(t *testing.T) {
	named, unnamed, one := open(t, "chain-tiny"), open(t, "debate-sums"), open(t, "single-tiny")
	for _, c := range []struct {
		team *chatsession.Loaded
		word string
		want int
		why  string
	}{
		{named, "critic", 1, ""},
		{named, "3", 2, ""},
		{named, "nobody", 0, "the agents are writer, critic, editor"},
		{named, "0", 0, "the team has 3 agents"},
		{unnamed, "2", 1, ""},
		{unnamed, "agent", 0, "there is no agent agent; the team has 2 agents"},
		{one, "2", 0, "the team has 1 agent"},
	} {
		got, err := c.team.Numbered(c.word)
		if got != c.want || (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %d, %v", c.word, got, err)
		}
	}
}

// TestForms: an agent whose recipe sets a form answers in it, in the team and alone, and no client can ask it for another.
func TestForms(t *testing.T) {
	held := open(t, "chain-tiny", "sampling.regex=[0-9]{3}")
	form := regexp.MustCompile(`^[0-9]{3}$`)
	held.Settings.Seed = 3
	err := held.Ask(t.Context(), "What is 2 + 3?", chatsession.Listener{
		Begin: func(int, int) error { return nil },
		Say:   func(string) error { return nil },
		End: func(r chatsession.Reply) error {
			if !form.MatchString(r.Text) {
				t.Errorf("an agent of the team said %q", r.Text)
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	alone := serve.Model{ID: "chain/agent-critic", Answerer: serve.NewSingle(held.Speaker(0, 1), held.SettingsOf(1))}
	q := serve.Question{Messages: []team.Message{{Role: team.User, Content: "2 + 3?"}}, MaxTokens: 40}
	a, err := alone.Answer(t.Context(), q, serve.Listener{Say: func(string) error { return nil }})
	if err != nil || !form.MatchString(a.Text) || a.Cut {
		t.Errorf("alone it said %q, %v", a.Text, err)
	}
	if fault := q.Hold(&alone, "response_format", `{"schema":{"type":"object"}}`); fault == nil || !strings.Contains(fault.Message, "in the form of its recipe") {
		t.Errorf("another form: %v", fault)
	}
	if fault := q.Hold(&alone, "structured_outputs", held.SettingsOf(1).Form); fault != nil {
		t.Errorf("its own form: %v", fault)
	}
}
