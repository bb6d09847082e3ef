package rollout_test

import (
	"slices"
	"strings"
	"testing"

	"parley/engine"
	"parley/rl/rollout"
)

// narrow gives a team of one a context of so many tokens.
func narrow(t *testing.T, tokens int, truncate bool) *rollout.Runner {
	t.Helper()
	r := runner(t, &dice{}, 1, 1, rollout.Settings{Group: 1, MaxTokens: 3, Truncate: truncate})
	r.Actors[0].Context = tokens
	return r
}

// TestTooLongPrompts: "question 0" has ten tokens. A prompt that leaves no room for a token fails its episode with both numbers, or
// loses its oldest tokens so that a whole answer fits.
func TestTooLongPrompts(t *testing.T) {
	for _, tokens := range []int{10, 4} {
		e := play(t, narrow(t, tokens, false), 1)[0]
		if why := e.Failed(); !strings.HasPrefix(why, "prompt of agent 1, turn 1: ") || !strings.Contains(why, "10 tokens") || !strings.Contains(why, "truncate: left") {
			t.Errorf("a prompt of 10 tokens in a context of %d: %q", tokens, why)
		}
	}
	for _, c := range []struct {
		tokens   int
		truncate bool
		want     string
	}{{11, false, "question 0"}, {0, true, "question 0"}, {13, true, "question 0"}, {12, true, "uestion 0"}, {4, true, " 0"}} {
		e := play(t, narrow(t, c.tokens, c.truncate), 1)[0]
		if got := e.Nodes[0].Agents[0].Prompt; !slices.Equal(got, ids(c.want)) {
			t.Errorf("context %d, truncate %v: prompt of %d tokens, want %q", c.tokens, c.truncate, len(got), c.want)
		}
	}
}

func ids(text string) []int {
	var out []int
	for _, r := range text {
		out = append(out, int(r))
	}
	return out
}

// TestDialogueReachesBothBases: a team over two engines asks each for its own agents' answers, in one batch a turn.
func TestDialogueReachesBothBases(t *testing.T) {
	first, second := &dice{}, &dice{}
	r := runner(t, first, 3, 2, rollout.Settings{Group: 1, MaxTokens: 3})
	r.Actors[1].Engine, r.Actors[1].Policy = second, func(int) engine.Policy { return engine.Base }
	e := play(t, r, 4)[0]
	if !slices.Equal(first.batches, []int{8, 8}) || !slices.Equal(second.batches, []int{4, 4}) {
		t.Errorf("batches of %v and %v requests", first.batches, second.batches)
	}
	heard := e.Nodes[0].Agents[0].Completions[0].Text
	if agentTurn := e.Nodes[1].Agents[1].Messages[len(e.Nodes[1].Agents[1].Messages)-1].Content; !strings.Contains(agentTurn, heard) {
		t.Errorf("the second engine's agent is asked %q, without the first's answer %q", agentTurn, heard)
	}
}
