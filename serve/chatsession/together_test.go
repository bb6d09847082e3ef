package chatsession

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"parley/rl/rollout/gather"
	"parley/team"
	"parley/team/protocols"
)

// heardBy lets a team answer and returns all that a listener hears.
func heardBy(t *testing.T, tm Team) string {
	t.Helper()
	var out strings.Builder
	err := tm.Ask(t.Context(), "What is 2 + 3?", Listener{
		Begin: func(turn, agent int) error { _, err := fmt.Fprintf(&out, "<%d %d>", turn, agent); return err },
		Say:   func(text string) error { out.WriteString(text); return nil },
		End:   func(r Reply) error { _, err := fmt.Fprintf(&out, "<%d of %d>", r.Tokens, r.Prompt); return err },
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestTogether: a team whose agents answer at once says the same in the same order as one by one.
func TestTogether(t *testing.T) {
	v, _ := openVoice(t)
	v.Engine = gather.Batched(v.Engine.(*listening).Streamer)
	p, err := protocols.Debate().Open(team.Settings{Agents: 3, Turns: 2, SeeOthers: true, Prompts: team.Short})
	if err != nil {
		t.Fatal(err)
	}
	tm := Team{Protocol: p, Speaker: func(int, int) Voice { return v }, Settings: hot}
	want := heardBy(t, tm)
	if tm.Together = true; heardBy(t, tm) != want {
		t.Errorf("together they say %q, one by one %q", heardBy(t, tm), want)
	}
}

// A slow voice waits for the end of its context, but the first one fails at once.
type slow struct{ asked, ended *atomic.Int32 }

func (v slow) Say(ctx context.Context, _ []team.Message, _ Settings, say func(string) error) (Reply, error) {
	if v.asked.Add(1) == 2 { // whichever comes second
		return Reply{}, errors.Join(errors.New("lost its voice"), say("Well"))
	}
	<-ctx.Done()
	v.ended.Add(1)
	return Reply{}, ctx.Err()
}

// TestTogetherFails: when one agent fails, or the listener does, the others end, and nobody is waited for in vain.
func TestTogetherFails(t *testing.T) {
	p, err := protocols.Debate().Open(team.Settings{Agents: 3, Turns: 1, Prompts: team.Short})
	if err != nil {
		t.Fatal(err)
	}
	v := slow{new(atomic.Int32), new(atomic.Int32)}
	mine := errors.New("mine")
	tm := Team{Protocol: p, Speaker: func(int, int) Voice { return v }, Together: true}
	err = tm.Ask(t.Context(), "What is 2 + 3?", Listener{Begin: func(int, int) error { return mine }})
	if !errors.Is(err, mine) || v.asked.Load() != 3 || v.ended.Load() != 2 {
		t.Errorf("error %v; %d were asked and %d ended", err, v.asked.Load(), v.ended.Load())
	}
}
