package vectortest

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// consultRules are those of the dialogue of an agent that has a task with a user who knows what is wanted (SWEET-RL, arXiv 2503.15478, §3).
//
// The agent speaks first. It asks, and the user, who sees a hidden reference, answers in a few words. The dialogue ends with the first message of
// the agent that holds a marker; its answer is what follows. After the last turn that is allowed the whole message is the answer. Who sees the
// hidden reference, and who must not, is measured of a workflow: see [teamtest.Consult].
type consultRules struct {
	Marker    string // announces the answer
	Turns     int    // the most messages of the agent
	UserLimit int    // characters of a user's reply that the agent reads
}

// A dialogueEnd is how a dialogue ended, or that it goes on.
type dialogueEnd struct {
	Over   bool
	Turns  int    // messages of the agent that count
	Answer string // white space around it removed
}

// End reads the agent's messages, oldest first. Messages after the end do not count.
func (r consultRules) End(said []string) dialogueEnd {
	for i, text := range said {
		if _, after, found := strings.Cut(text, r.Marker); found && r.Marker != "" {
			return dialogueEnd{Over: true, Turns: i + 1, Answer: strings.TrimSpace(after)}
		}
		if i+1 == r.Turns {
			return dialogueEnd{Over: true, Turns: i + 1, Answer: strings.TrimSpace(text)}
		}
	}
	return dialogueEnd{Turns: len(said)}
}

// Heard is a user's reply as the agent reads it: its first characters, not its first bytes.
func (r consultRules) Heard(reply string) string {
	n := 0
	for at := range reply {
		if n == r.UserLimit {
			return reply[:at]
		}
		n++
	}
	return reply
}

// consultScore is what an answer earns that passed so many of all hidden tests: the share, and whether it passed all, of which there are some.
func consultScore(passed, total int) (reward float64, success bool) {
	if total <= 0 {
		return 0, false
	}
	return float64(passed) / float64(total), passed == total
}

var dialogue = consultRules{Marker: "ANSWER:", Turns: 3, UserLimit: 5}

func TestDialogueEnd(t *testing.T) {
	for _, c := range []struct {
		said []string
		want dialogueEnd
	}{
		{nil, dialogueEnd{}},
		{[]string{"which?"}, dialogueEnd{Turns: 1}},
		{[]string{"which?", "so ANSWER: 1 \n"}, dialogueEnd{Over: true, Turns: 2, Answer: "1"}},
		{[]string{"ANSWER: a ANSWER: b", "ANSWER: c"}, dialogueEnd{Over: true, Turns: 1, Answer: "a ANSWER: b"}},
		{[]string{"a", "b", " c "}, dialogueEnd{Over: true, Turns: 3, Answer: "c"}},
		{[]string{"a", "b", "c", "ANSWER: d"}, dialogueEnd{Over: true, Turns: 3, Answer: "c"}},
		{[]string{"ANSWER:"}, dialogueEnd{Over: true, Turns: 1}},
	} {
		if got := dialogue.End(c.said); got != c.want {
			t.Errorf("%q: %+v, want %+v", c.said, got, c.want)
		}
	}
}

func TestHeardIsAPrefixOfCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reply := rapid.String().Draw(t, "reply")
		got := dialogue.Heard(reply)
		if !strings.HasPrefix(reply, got) || utf8.RuneCountInString(got) != min(5, utf8.RuneCountInString(reply)) {
			t.Fatalf("%q of %q", got, reply)
		}
	})
	if got := (consultRules{}).Heard("a"); got != "" {
		t.Errorf("%q within a limit of none", got)
	}
}

func TestConsultScore(t *testing.T) {
	for _, c := range []struct {
		passed, total int
		reward        float64
		success       bool
	}{{7, 10, .7, false}, {10, 10, 1, true}, {0, 0, 0, false}, {0, 4, 0, false}} {
		if r, s := consultScore(c.passed, c.total); r != c.reward || s != c.success {
			t.Errorf("%d of %d: %v, %v", c.passed, c.total, r, s)
		}
	}
}
