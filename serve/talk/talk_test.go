package talk_test

import (
	"strings"
	"testing"

	"parley/engine/native"
	"parley/recipe/language"
	"parley/serve/talk"
	"parley/train/lineup"
)

func open(t *testing.T, recipe string, sets ...string) *talk.Team {
	t.Helper()
	r, err := language.New().Load(recipe, sets)
	if err != nil {
		t.Fatal(err)
	}
	l, err := lineup.Open(t.Context(), r, native.Backend{})
	if err != nil {
		t.Fatal(err)
	}
	team, err := talk.Of(t.Context(), l, false)
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
		team *talk.Team
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
