package serve

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/engine"
	"parley/serve/chatsession"
	"parley/task/answer"
	"parley/team"
	"parley/team/protocols"
)

// A script says what is written for each agent in each turn, two tokens a text; a text that ends with ... was cut.
type script map[string]string

func (s script) voice(turn, agent int) chatsession.Voice {
	return saying{text: s[fmt.Sprintf("%d.%d", turn+1, agent+1)]}
}

type saying struct{ text string }

func (v saying) Say(_ context.Context, dialogue []team.Message, s chatsession.Settings, say func(string) error) (chatsession.Reply, error) {
	text := strings.ReplaceAll(v.text, "QUESTION", dialogue[len(dialogue)-1].Content)
	r := chatsession.Reply{Text: text, Prompt: 10, Tokens: 2, Stop: engine.StopEOS}
	if strings.HasSuffix(text, "...") {
		r.Stop = engine.StopLength
	}
	return r, say(text)
}

func debate(t *testing.T, s script, final func(string) (string, bool)) *Team {
	t.Helper()
	p, err := protocols.Debate().Open(team.Settings{Agents: 3, Turns: 2, SeeOthers: true, Prompts: team.Short})
	if err != nil {
		t.Fatal(err)
	}
	return NewTeam(chatsession.Team{Protocol: p, Speaker: s.voice, Final: final})
}

func ask(t *testing.T, a Answerer, messages ...team.Message) (Answer, string) {
	t.Helper()
	var said strings.Builder
	got, err := a.Answer(t.Context(), Question{Messages: messages}, Listener{
		Reason: func(string) error { return nil },
		Say:    func(text string) error { said.WriteString(text); return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return got, said.String()
}

var two = team.Message{Role: team.User, Content: "What is 1 + 1?"}

// TestVote: a team whose protocol names no answer votes in its last turn, in the words of the first who voted so.
func TestVote(t *testing.T) {
	s := script{
		"1.1": `\boxed{3}`, "1.2": `\boxed{3}`, "1.3": `\boxed{3}`,
		"2.1": `I say \boxed{4}`, "2.2": `It is \boxed{2}`, "2.3": `\boxed{2}...`,
	}
	got, said := ask(t, debate(t, s, answer.Math), two)
	if got.Text != `It is \boxed{2}` || said != got.Text || got.Cut {
		t.Errorf("the team answers %q, cut: %v, and says %q", got.Text, got.Cut, said)
	}
	want := Usage{Prompt: 10, Drawn: 12, Reasoning: 10, Agents: []AgentUsage{{"agent 1", 20, 4}, {"agent 2", 20, 4}, {"agent 3", 20, 4}}}
	if fmt.Sprint(got.Usage) != fmt.Sprint(want) {
		t.Errorf("usage %v, want %v", got.Usage, want)
	}
	if !strings.HasPrefix(got.Reasoning, "[agent 1, turn 1]\n\\boxed{3}\n\n[agent 2, turn 1]\n") || !strings.Contains(got.Reasoning, "[agent 3, turn 2]\n") {
		t.Errorf("reasoning %q", got.Reasoning)
	}
	if got, _ := ask(t, debate(t, s, nil), two); got.Text != `\boxed{2}...` || !got.Cut {
		t.Errorf("without votes the last who spoke answers: %q, cut: %v", got.Text, got.Cut)
	}
	nobody := script{"2.1": "a", "2.2": "b", "2.3": "c"}
	if got, _ := ask(t, debate(t, nobody, answer.Math), two); got.Text != "c" || got.Cut {
		t.Errorf("where nobody can be read, the last who spoke answers: %q, cut: %v", got.Text, got.Cut)
	}
	nobody["2.1"] = "I think..."
	if got, _ := ask(t, debate(t, nobody, answer.Math), two); got.Text != "c" || !got.Cut {
		t.Errorf("where a vote is missing and an answer was cut, the team's was: %q, cut: %v", got.Text, got.Cut)
	}
}

// TestTranscript: one message is the question; of more, each has its speaker's name.
func TestTranscript(t *testing.T) {
	system := team.Message{Role: team.System, Content: "Be brief."}
	for want, messages := range map[string][]team.Message{
		"What is 1 + 1?":              {two},
		"Be brief.\n\nWhat is 1 + 1?": {system, two},
		"Be brief.\n\nUser: Hi\n\nAssistant: Hello\n\nUser: What is 1 + 1?": {{Role: team.User, Content: "Hi"}, system, {Role: team.Assistant, Content: "Hello"}, two},
	} {
		if got := Transcript(messages); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestListenerEnds: an error of who listens ends the work of a team, wherever it is.
func TestListenerEnds(t *testing.T) {
	mine := errors.New("mine")
	fail := func(string) error { return mine }
	fine := func(string) error { return nil }
	for _, l := range []Listener{{Reason: fail, Say: fine}, {Reason: fine, Say: fail}} {
		if _, err := debate(t, script{}, nil).Answer(t.Context(), Question{Messages: []team.Message{two}}, l); !errors.Is(err, mine) {
			t.Errorf("error %v", err)
		}
	}
}

// TestLimits: a request lowers the limits of a run and never raises them; a stop text is one more.
func TestLimits(t *testing.T) {
	hot, likely := 1.5, 0.5
	s := chatsession.Settings{MaxTokens: 48, MinTokens: 4, Stop: []string{"a"}}
	got := Question{Temperature: &hot, TopP: &likely, MaxTokens: 3, Stop: []string{"b"}, Seed: 7}.With(s)
	if got.MaxTokens != 3 || got.MinTokens != 3 || fmt.Sprint(got.Stop) != "[a b]" || got.Sampling.Temperature != 1.5 || got.Sampling.TopP != 0.5 || got.Seed != 7 {
		t.Errorf("%+v", got)
	}
	if got := (Question{MaxTokens: 100}).With(s); got.MaxTokens != 48 || len(got.Stop) != 1 {
		t.Errorf("%+v", got)
	}
}
