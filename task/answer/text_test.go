package answer

import (
	"regexp"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func TestNormalized(t *testing.T) {
	for text, want := range map[string]string{
		"Paris": "paris", " The  Eiffel Tower! ": "eiffel tower", "An apple, a day": "apple day", "U.S.": "us", "Eiffel-Tower": "eiffeltower", "theory": "theory",
		"1,000": "1000", "1.5": "1.5", "15": "15", "-5": "-5", "−5": "-5", "5": "5", ".5": ".5", "3.": "3", "5-10": "510", "$ 7": "7",
		"A": "a", "the": "the", "+": "+", "": "", "“Quoted”": "quoted", "ﬁne": "fine", "Straße": "strasse", "STRASSE": "strasse", "Zoe\u0308": "zoë", "zo\u200bë": "zoë", "ＡＢＣ": "abc",
	} {
		if got := Normalized(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// squad is the published comparison, for texts without numbers: lower case, no punctuation, no articles, single spaces.
func squad(text string) string {
	text = strings.Map(func(c rune) rune {
		if strings.ContainsRune("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", c) {
			return -1
		}
		return c
	}, strings.ToLower(text))
	return strings.Join(strings.Fields(regexp.MustCompile(`\b(a|an|the)\b`).ReplaceAllString(text, " ")), " ")
}

// TestNormalizedIsSquad: two texts without digits that SQuAD tells apart are told apart, and the other way round, where both say something.
func TestNormalizedIsSquad(t *testing.T) {
	text := rapid.StringMatching(`(?:(?:the|an|a|An|Paris|paris|x|y|[!-/:-@\[-~]| )){0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		if squad(a) == "" || squad(b) == "" {
			return
		}
		if got, want := Normalized(a) == Normalized(b), squad(a) == squad(b); got != want {
			t.Fatalf("%q and %q are the same: %v, by SQuAD %v", a, b, got, want)
		}
	})
}

// TestNormalizedIsStable: normalizing again changes nothing, and no form of Unicode does.
func TestNormalizedIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-zA-ZéßﬁÅ０-９0-9 .,'’“”()\-−+$]{0,12}`).Draw(t, "text")
		once := Normalized(text)
		for _, other := range []string{once, norm.NFD.String(text), " " + text + "\u200b "} {
			if got := Normalized(other); got != once {
				t.Fatalf("%q is %q, %q is %q", text, once, other, got)
			}
		}
	})
}

func TestLastLine(t *testing.T) {
	for text, want := range map[string]string{
		"Paris": "Paris", "It is in France.\n\nParis\n": "Paris", "so\n**Answer:** Paris": "Paris", "The final answer is: 7 km": "7 km", "x\n> Answer: \"yes\"": `"yes"`,
		"Answers vary": "Answers vary", "": "", "\n \n": "", "a\nAnswer:": "Answer:",
	} {
		if got, ok := LastLine(text); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", text, got, ok, want)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add(`so \boxed{\text{Paris}}`)
	f.Add("**Answer:** a")
	f.Fuzz(func(t *testing.T, text string) {
		if line, ok := LastLine(text); ok != (line != "") || strings.Contains(line, "\n") {
			t.Errorf("%q: %q, %v", text, line, ok)
		}
		if strings.TrimSpace(text) != "" && strings.Contains(Normalized(text), "  ") {
			t.Errorf("%q: %q", text, Normalized(text))
		}
	})
}
