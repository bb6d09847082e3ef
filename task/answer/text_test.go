package answer

import (
	"regexp"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func TestSquad(t *testing.T) {
	for text, want := range map[string]string{
		"Paris": "paris", " The  Eiffel Tower! ": "eiffel tower", "An apple, a day": "apple day", "U.S.": "us", "Eiffel-Tower": "eiffeltower", "theory": "theory",
		"1,000": "1000", "1.5": "1.5", "15": "15", "-5": "-5", "−5": "-5", "5": "5", ".5": ".5", "3.": "3", "5-10": "510", "$ 7": "7",
		"A": "a", "the": "the", "+": "+", "": "", "“Quoted”": "quoted", "ﬁne": "fine", "Straße": "strasse", "STRASSE": "strasse", "Zoe\u0308": "zoë", "zo\u200bë": "zoë", "ＡＢＣ": "abc",
	} {
		if got := Squad(text); got != want {
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

// TestSquadIsPublished: two texts without digits that SQuAD tells apart are told apart, and the other way round, where both say something.
func TestSquadIsPublished(t *testing.T) {
	text := rapid.StringMatching(`(?:(?:the|an|a|An|Paris|paris|x|y|[!-/:-@\[-~]| )){0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		if squad(a) == "" || squad(b) == "" {
			return
		}
		if got, want := Squad(a) == Squad(b), squad(a) == squad(b); got != want {
			t.Fatalf("%q and %q are the same: %v, by SQuAD %v", a, b, got, want)
		}
	})
}

// TestSquadIsStable: normalizing again changes nothing, and no form of Unicode does.
func TestSquadIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-zA-ZéßﬁÅ０-９0-9 .,'’“”()\-−+$]{0,12}`).Draw(t, "text")
		once := Squad(text)
		for _, other := range []string{once, norm.NFD.String(text), " " + text + "\u200b "} {
			if got := Squad(other); got != once {
				t.Fatalf("%q is %q, %q is %q", text, once, other, got)
			}
		}
	})
}

func FuzzText(f *testing.F) {
	f.Add(`so \boxed{\text{Paris}}`)
	f.Add("**Answer:** a")
	for _, many := range []string{":", "- ", ". ", "! ", "a ", "the ", `"'`, "[", `\\%`, "1,", "^{2"} {
		f.Add("d" + strings.Repeat(many, 40))
		f.Add(strings.Repeat(many, 40) + "d")
	}
	f.Add(strings.Repeat(`"'`, 40) + "d" + strings.Repeat(`'"`, 40))
	f.Add(strings.Repeat("(", 40) + "d" + strings.Repeat(")", 40))
	f.Fuzz(func(t *testing.T, text string) {
		if once := Normalized(text); strings.Contains(once, "  ") || Normalized(once) != once {
			t.Errorf("%q: %q, then %q", text, once, Normalized(once))
		}
	})
}

// TestMember: of answers that are JSON objects the member answer is read, in the ways in which a text is.
func TestMember(t *testing.T) {
	for text, want := range map[string][4]string{ // by the last box, as a label, by the last number, by the last line
		`{"thought": "7 or 8", "answer": 12}`:                      {"12", "", "12", "12"},
		` {"answer": "-1.5 m", "sure": 3} `:                        {"-3/2", "", "-3/2", "-1.5 m"},
		`{"answer": "so \\boxed{1/2}", "thought": "\\boxed{9}"}`:   {"1/2", "", "1/2", "so \\boxed{1/2}"},
		`{"answer": "Neutral.", "thought": "\\boxed{entailment}"}`: {"", "neutral", "", "Neutral."},
		`{"answer": null}`:                       {"", "", "", "null"},
		`{"result": 5, "thought": "\\boxed{6}"}`: {"6", "", "6", `{"result": 5, "thought": "\\boxed{6}"}`},
		`{"answer": 5} \boxed{6}`:                {"6", "", "6", `{"answer": 5} \boxed{6}`},
		`[{"answer": 5}]`:                        {"", "", "5", `[{"answer": 5}]`},
	} {
		number, _ := Math(text)
		label, _ := NLI(text)
		last, _ := LastNumber(text)
		line := LineReadings(text)
		if got := [4]string{number, label, last, line[0]}; got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if got := BoxReadings(`{"answer": "\\text{red}", "note": "\\boxed{blue}"}`); got[len(got)-1] != "red" {
		t.Errorf("readings %q", got)
	}
}
