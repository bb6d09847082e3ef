package chatsession

import (
	"context"
	"errors"
	"strings"
	"testing"

	"parley/team"
	"parley/team/protocols"
)

// TestListenerErrors: a team stops where its listener does, be it before, in or after an answer, and says at whose.
func TestListenerErrors(t *testing.T) {
	v, heard := openVoice(t)
	p, err := protocols.Debate().Open(team.Settings{Agents: 2, Turns: 2, SeeOthers: true, Prompts: team.Short})
	if err != nil {
		t.Fatal(err)
	}
	closed := errors.New("the terminal is closed")
	for _, c := range []struct {
		at      string
		asked   int // answers that were begun
		message string
	}{{"begin", 1, "turn 1, agent 2"}, {"say", 2, "turn 1, agent 2"}, {"end", 2, "turn 1, agent 2"}} {
		heard.prompts = nil
		speaker := 0
		fail := func(where string) error {
			if speaker == 2 && where == c.at {
				return closed
			}
			return nil
		}
		tm := &Team{Protocol: p, Speaker: func(int, int) Voice { return v }, Settings: hot}
		err := tm.Ask(t.Context(), "What is 2 + 3?", Listener{
			Begin: func(int, int) error { speaker++; return fail("begin") },
			Say:   func(string) error { return fail("say") },
			End:   func(Reply) error { return fail("end") },
		})
		if !errors.Is(err, closed) || !strings.Contains(err.Error(), c.message) || len(heard.prompts) != c.asked {
			t.Errorf("%s: %v after %d answers", c.at, err, len(heard.prompts))
		}
	}
}

// TestTeamInterrupted: the end of the context ends a team in mid-answer.
func TestTeamInterrupted(t *testing.T) {
	v, heard := openVoice(t)
	p, err := protocols.Debate().Open(team.Settings{Agents: 2, Turns: 1, Prompts: team.Short})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	tm := &Team{Protocol: p, Speaker: func(int, int) Voice { return v }, Settings: hot}
	err = tm.Ask(ctx, "What is 2 + 3?", Listener{
		Begin: func(int, int) error { return nil },
		Say:   func(string) error { cancel(); return nil },
		End:   func(Reply) error { t.Error("the answer ended"); return nil },
	})
	if !errors.Is(err, context.Canceled) || len(heard.prompts) != 1 {
		t.Errorf("%v after %d answers", err, len(heard.prompts))
	}
}
