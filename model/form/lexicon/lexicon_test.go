package lexicon_test

import (
	"strings"
	"testing"

	"parley/model/form"
	"parley/model/form/lexicon"
)

// words is a lexicon of these tokens.
func words(tokens ...string) *lexicon.Lexicon {
	return lexicon.New(len(tokens), func(id int) ([]byte, bool) { return []byte(tokens[id]), tokens[id] != "" })
}

func open(t *testing.T, l *lexicon.Lexicon, text string) *lexicon.Texts {
	t.Helper()
	texts, err := l.Open(text)
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// allowed lists the tokens that may follow, as a text of their ids.
func allowed(t *testing.T, texts *lexicon.Texts, s *form.State, left int) string {
	t.Helper()
	set, err := texts.Allowed(s, left)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for id := range 64 {
		if set.Has(id) {
			out.WriteByte("0123456789abcdefghijklmnopqrstuv"[id])
		}
	}
	return out.String()
}

func TestAllowed(t *testing.T) {
	texts := open(t, words("a", "b", "ab", "abc", "", "c", "ba", "a", "d", "bc"), form.OfRegex("(ab)*c?"))
	s := texts.Start()
	for _, step := range []struct {
		token int
		ends  bool
		may   string
	}{{-1, true, "02357"}, {0, false, "169"}, {1, true, "02357"}, {2, true, "02357"}, {5, true, ""}} {
		if step.token >= 0 {
			var err error
			if s, err = texts.Token(s, step.token); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 { // the second one from what is kept
			if got := allowed(t, texts, s, -1); got != step.may || s.Ends() != step.ends {
				t.Errorf("behind token %d: %s may follow, ends %v: want %s, %v", step.token, got, s.Ends(), step.may, step.ends)
			}
		}
	}
}

// TestLeft: a token is left out where the bytes that are missing behind it, one token each, and an end token no longer fit.
func TestLeft(t *testing.T) {
	texts := open(t, words("a", "b", "c", "aa"), form.OfRegex("a{1,4}bc"))
	for left, want := range map[int]string{-1: "03", 9: "03", 4: "03", 3: ""} {
		if got := allowed(t, texts, texts.Start(), left); got != want {
			t.Errorf("with %d left %s may follow, want %s", left, got, want)
		}
	}
	s, err := texts.Token(texts.Start(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for left, want := range map[int]string{4: "013", 3: "1"} {
		if got := allowed(t, texts, s, left); got != want {
			t.Errorf("behind a, with %d left %s may follow, want %s", left, got, want)
		}
	}
}

// TestBytesWithoutToken: what needs a byte that no token is alone is no text of a lexicon.
func TestBytesWithoutToken(t *testing.T) {
	l := words("a", "c", "ab")
	if got := allowed(t, open(t, l, form.OfRegex("ab|ac|a")), open(t, l, form.OfRegex("ab|ac|a")).Start(), -1); got != "0" {
		t.Errorf("%s may follow", got)
	}
	if _, err := l.Open(form.OfRegex("a{2}b+c")); err == nil || err.Error() != `the base has no token for "b"` {
		t.Errorf("error %v", err)
	}
}

// TestNamedTokens: tokens without bytes may follow where a form names them.
func TestNamedTokens(t *testing.T) {
	id := 1
	text, err := lexicon.OfParts([][]lexicon.Part{{{Token: &id}, {Text: "a"}, {Schema: []byte(`{"const":0}`)}, {Token: &id}}, {{Text: "a"}}})
	if err != nil {
		t.Fatal(err)
	}
	texts := open(t, words("a", "", "0", "a0"), text)
	s := texts.Start()
	for _, step := range []struct {
		token int
		may   string
	}{{1, "03"}, {3, "1"}, {1, ""}} {
		if s, err = texts.Token(s, step.token); err != nil {
			t.Fatal(err)
		}
		if got := allowed(t, texts, s, -1); got != step.may {
			t.Errorf("behind %d %s may follow, want %s", step.token, got, step.may)
		}
	}
	if got := allowed(t, texts, texts.Start(), -1); got != "01" || !s.Ends() {
		t.Errorf("%s may follow at first; the end %v", got, s.Ends())
	}
}

// TestManyStates: what is forgotten is made again.
func TestManyStates(t *testing.T) {
	const n = 5000
	texts := open(t, words("a", "bb", `"`, "b"), `{"schema":{"type":"string","minLength":5000,"maxLength":5000}}`)
	s, err := texts.Token(texts.Start(), 2)
	for i := range n {
		if err != nil || s.Shortest() != n-i+1 {
			t.Fatalf("place %d: %v, %d missing", i, err, s.Shortest())
		}
		if got := allowed(t, texts, s, n+2-i); !strings.HasPrefix(got, "0") {
			t.Fatalf("place %d: %s may follow", i, got)
		}
		s, err = texts.Token(s, i%2*3)
	}
	if got := allowed(t, texts, s, 2); got != "2" {
		t.Errorf("%s may follow at the end", got)
	}
}
