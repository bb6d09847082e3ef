package chatsession

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/engine"
	"parley/engine/native"
	"parley/model"
	"parley/task"
	"parley/team"
	"parley/team/protocols"
)

// openVoice is the shipped base model. Its engine records the prompts.
func openVoice(t *testing.T) (Speaker, *listening) {
	t.Helper()
	m, err := model.Open(model.Shipped)
	if err != nil {
		t.Fatal(err)
	}
	e, err := native.Open(m.Source, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close(); m.Close() })
	l := &listening{Streamer: e, model: m}
	return Speaker{Engine: l, Model: m}, l
}

// A listening engine keeps the prompts that it was given, as text.
type listening struct {
	engine.Streamer
	model   *model.Model
	prompts []string
	seeds   []uint64
}

func (l *listening) Stream(ctx context.Context, reqs []engine.SampleRequest, each func(i, token int) error) ([]engine.Sample, error) {
	l.prompts = append(l.prompts, l.model.Tokenizer.Decode(reqs[0].Prompt, true))
	l.seeds = append(l.seeds, reqs[0].Seed)
	return l.Streamer.Stream(ctx, reqs, each)
}

func (l *listening) last() string { return l.prompts[len(l.prompts)-1] }

var hot = Settings{Sampling: engine.Sampling{Temperature: 5}, MaxTokens: 60, Seed: 1}

// What a hot model writes is anything, half characters too: every piece is whole, and the pieces join to the answer.
func TestSay(t *testing.T) {
	v, _ := openVoice(t)
	var pieces []string
	reply, err := v.Say(t.Context(), []team.Message{{Role: team.User, Content: "Hi"}}, hot, func(text string) error {
		pieces = append(pieces, text)
		return nil
	})
	if err != nil || reply.Tokens == 0 || reply.Tokens > 60 || reply.Stop == "" || strings.Join(pieces, "") != reply.Text {
		t.Fatalf("%+v, %q, %v", reply, pieces, err)
	}
	for _, p := range pieces {
		if p == "" || !utf8.ValidString(p) {
			t.Errorf("piece %q", p)
		}
	}
}

// An answer ends before a stop text, of which nothing is shown, not even its beginning.
func TestSayStops(t *testing.T) {
	v, _ := openVoice(t)
	dialogue := []team.Message{{Role: team.User, Content: "Ana has 23 pens and 7 hats."}}
	say := func(stop ...string) (Reply, string) {
		shown := ""
		reply, err := v.Say(t.Context(), dialogue, Settings{MaxTokens: 30, Stop: stop}, func(text string) error {
			shown += text
			if len(stop) > 0 && strings.Contains(shown, stop[0][:1]) {
				t.Errorf("%q was shown", shown)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return reply, shown
	}
	whole, _ := say()
	at := 1
	for strings.Contains(whole.Text[:at], whole.Text[at:at+1]) {
		at++
	}
	cut, shown := say(whole.Text[at : at+3])
	if shown != whole.Text[:at] || cut.Text != shown || cut.Stop != engine.StopText || cut.Tokens >= whole.Tokens {
		t.Errorf("%q stops at %q as %q, shown %q, %s", whole.Text, whole.Text[at:at+3], cut.Text, shown, cut.Stop)
	}
}

func TestConversation(t *testing.T) {
	v, heard := openVoice(t)
	c := &Conversation{Speaker: v, Settings: hot, System: "Be brief."}
	ask := func(text string) Reply {
		t.Helper()
		r, err := c.Ask(t.Context(), text, func(string) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := ask("one")
	ask("two")
	for _, want := range []string{"Be brief.", "one", strings.TrimSpace(first.Text), "two"} {
		if !strings.Contains(heard.last(), want) {
			t.Errorf("the second prompt %q lacks %q", heard.last(), want)
		}
	}
	c.Reset()
	ask("three")
	if strings.Contains(heard.last(), "one") || !strings.Contains(heard.last(), "Be brief.") {
		t.Errorf("after a reset the prompt is %q", heard.last())
	}
	if s := heard.seeds; s[0] == s[1] || s[1] == s[2] || s[0] == s[2] {
		t.Errorf("answers share a stream: %v", s)
	}
}

// An interrupted answer is remembered as far as it came; a question without any answer is not.
func TestInterruptedAnswer(t *testing.T) {
	v, heard := openVoice(t)
	c := &Conversation{Speaker: v, Settings: hot}
	ctx, cancel := context.WithCancel(t.Context())
	var begun string
	reply, err := c.Ask(ctx, "one", func(text string) error {
		begun += text
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || reply.Text != begun || reply.Stop != "" || reply.Tokens == 60 {
		t.Fatalf("%+v, %v", reply, err)
	}
	if _, err := c.Ask(ctx, "unheard", nil); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := c.Ask(t.Context(), "two", func(string) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if p := heard.last(); !strings.Contains(p, "one") || !strings.Contains(p, begun) || strings.Contains(p, "unheard") {
		t.Errorf("prompt %q", p)
	}
}

func TestTooLong(t *testing.T) {
	v, _ := openVoice(t)
	_, err := v.Say(t.Context(), []team.Message{{Role: team.User, Content: strings.Repeat("one two three ", 2000)}}, hot, nil)
	if err == nil || !strings.Contains(err.Error(), "do not fit the model's context of") {
		t.Errorf("error %v", err)
	}
}

// concluding is a debate whose answer is what was said first, and a text that nobody said.
type concluding struct{ team.Protocol }

func (concluding) Answers() bool { return true }

func (concluding) Over(task.Problem, team.History) (bool, error) { return false, nil }

func (concluding) TeamAnswer(_ task.Problem, h team.History) ([]string, error) {
	return []string{h[0].Text, "of its own"}, nil
}

// What the team answers is told as it was said.
func TestTeamAnswer(t *testing.T) {
	v, _ := openVoice(t)
	p, err := protocols.Debate().Open(team.Settings{Agents: 2, Turns: 1, SeeOthers: true, Prompts: team.Short})
	if err != nil {
		t.Fatal(err)
	}
	tm := &Team{Protocol: concluding{p}, Speaker: func(int, int) Voice { return v }, Settings: hot}
	var said, answer []string
	if err := tm.Ask(t.Context(), "What is 2 + 3?", Listener{
		Begin:  func(int, int) error { return nil },
		Say:    func(string) error { return nil },
		End:    func(r Reply) error { said = append(said, r.Text); return nil },
		Answer: func(texts []string) error { answer = texts; return nil },
	}); err != nil {
		t.Fatal(err)
	}
	if len(answer) != 2 || answer[0] != said[0] || answer[1] != "of its own" {
		t.Errorf("answered %q, said %q", answer, said)
	}
}

// A team's agents speak in the protocol's order, and later turns quote the answers in the form that the protocol shows.
func TestTeam(t *testing.T) {
	v, heard := openVoice(t)
	p, err := protocols.Debate().Open(team.Settings{Agents: 2, Turns: 2, SeeOthers: true, Boxed: true, Prompts: team.Short})
	if err != nil {
		t.Fatal(err)
	}
	tm := &Team{Protocol: p, Speaker: func(int, int) Voice { return v }, Settings: hot, Final: func(string) (string, bool) { return "QUOTED", true }}
	var order [][2]int
	ended := 0
	listener := Listener{
		Begin: func(turn, agent int) error { order = append(order, [2]int{turn, agent}); return nil },
		Say:   func(string) error { return nil },
		End:   func(Reply) error { ended++; return nil },
	}
	if err := tm.Ask(t.Context(), "What is 2 + 3?", listener); err != nil {
		t.Fatal(err)
	}
	if len(order) != 4 || order[1] != [2]int{0, 1} || order[2] != [2]int{1, 0} || ended != 4 {
		t.Errorf("order %v, %d ended", order, ended)
	}
	if strings.Contains(heard.prompts[1], "QUOTED") || strings.Count(heard.prompts[3], "QUOTED") != 2 || !strings.Contains(heard.prompts[3], "What is 2 + 3?") {
		t.Errorf("prompts %q", heard.prompts)
	}
	if err := tm.Ask(t.Context(), "Again?", listener); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(heard.prompts[4], "2 + 3") || heard.seeds[0] == heard.seeds[4] {
		t.Error("the second question is no problem of its own")
	}
}
