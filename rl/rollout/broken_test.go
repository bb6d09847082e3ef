package rollout_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"parley/rl/credit"
	"parley/rl/rollout"
	"parley/task"
	"parley/team"
)

// sick is a protocol that fails behind some answers, and asks what others have said before.
type sick struct{ how string }

func (sick) Agents() int { return 1 }
func (sick) Turns() int  { return 3 }

func (s sick) Next(p task.Problem, h team.History) ([]team.Ask, error) {
	text := p.Question
	if len(h) > 0 {
		text = h[len(h)-1].Text
		thin := text < "m"
		switch {
		case s.how == "dies" && thin:
			return nil, errors.New("index 9 out of range")
		case s.how == "floods" && thin:
			text = strings.Repeat(text, 1000)
		}
	}
	if len(h) == 3 {
		return nil, nil
	}
	return []team.Ask{{Turn: len(h), Prompt: text, Messages: []team.Message{{Role: team.User, Content: text}}}}, nil
}

// TestBrokenProtocol: a protocol that fails behind what somebody said, and a prompt that grows past the context, fail their episodes alone, with
// the turn and the reason.
func TestBrokenProtocol(t *testing.T) {
	for how, want := range map[string]string{
		"dies":   ": index 9 out of range",
		"floods": ": the prompt has 3000 tokens and the model's context 100: ",
	} {
		for _, s := range []rollout.Settings{{Group: 1, Episodes: 8, Joint: credit.Aligned, MaxTokens: 3}, {Group: 2, Joint: credit.Cross, MaxTokens: 3}} {
			r := runner(t, &dice{}, 1, 1, s)
			r.Protocol, r.Actors[0].Context = sick{how}, 100
			failed, all := 0, 0
			for _, e := range play(t, r, 4) {
				failures := e.Failures()
				failed, all = failed+len(failures), all+e.Samples()
				for why := range maps.Values(failures) {
					turn := map[string][]string{"dies": {"after turn 1", "after turn 2", "after turn 3"}, "floods": {"prompt of agent 1, turn 2", "prompt of agent 1, turn 3"}}[how]
					if place, _, _ := strings.Cut(why, ": "); !strings.Contains(why, want) || !slices.Contains(turn, place) {
						t.Errorf("%s: %q", how, why)
					}
				}
			}
			if failed == 0 || s.Episodes > 0 && failed == all {
				t.Errorf("%s: %d of %d episodes failed: the test tells nothing", how, failed, all)
			}
		}
	}
}

// TestLongObservation: an environment may show more than a context holds; that fails the episode.
func TestLongObservation(t *testing.T) {
	r := racer(t, "long", rollout.Settings{Group: 1, Joint: credit.Aligned, MaxTokens: 3})
	for i := range r.Actors {
		r.Actors[i].Context = 100
	}
	for _, e := range play(t, r, 2) {
		if why := e.Failed(); !strings.HasPrefix(why, "prompt of b, turn 2: the prompt has 262144 tokens and the model's context 100") {
			t.Errorf("failed %q", why)
		}
	}
}
