package teamtest

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

var rules = ConsultRules{Marker: "ANSWER:", Turns: 3, UserLimit: 5}

func TestEnd(t *testing.T) {
	for _, c := range []struct {
		said []string
		want End
	}{
		{nil, End{}},
		{[]string{"which?"}, End{Turns: 1}},
		{[]string{"which?", "so ANSWER: 1 \n"}, End{Over: true, Turns: 2, Answer: "1"}},
		{[]string{"ANSWER: a ANSWER: b", "ANSWER: c"}, End{Over: true, Turns: 1, Answer: "a ANSWER: b"}},
		{[]string{"a", "b", " c "}, End{Over: true, Turns: 3, Answer: "c"}},
		{[]string{"a", "b", "c", "ANSWER: d"}, End{Over: true, Turns: 3, Answer: "c"}},
		{[]string{"ANSWER:"}, End{Over: true, Turns: 1}},
	} {
		if got := rules.End(c.said); got != c.want {
			t.Errorf("%q: %+v, want %+v", c.said, got, c.want)
		}
	}
}

func TestHeardIsAPrefixOfCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reply := rapid.String().Draw(t, "reply")
		got := rules.Heard(reply)
		if !strings.HasPrefix(reply, got) || utf8.RuneCountInString(got) != min(5, utf8.RuneCountInString(reply)) {
			t.Fatalf("%q of %q", got, reply)
		}
	})
	if got := (ConsultRules{}).Heard("a"); got != "" {
		t.Errorf("%q within a limit of none", got)
	}
}

func TestScore(t *testing.T) {
	for _, c := range []struct {
		passed, total int
		reward        float64
		success       bool
	}{{7, 10, .7, false}, {10, 10, 1, true}, {0, 0, 0, false}, {0, 4, 0, false}} {
		if r, s := ConsultScore(c.passed, c.total); r != c.reward || s != c.success {
			t.Errorf("%d of %d: %v, %v", c.passed, c.total, r, s)
		}
	}
}
