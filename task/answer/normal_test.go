package answer

import (
	"strings"
	"testing"
)

func TestNormalized(t *testing.T) {
	for text, want := range map[string]string{
		"Paris": "paris", " The  Eiffel Tower! ": "eiffel tower", "U.S.": "us", "U.S": "us", "Ph.D.": "phd", "Eiffel-Tower": "eiffel tower", "theory": "theory", "1,000": "1000", "1.5": "1.5", "-5": "-5", "−5": "-5",
		".5": ".5", "3.": "3", "5-10": "5-10", "5–10": "5-10", "5 - 10": "5-10", "$ 7": "$7", "A": "a", "the": "the", "+": "+", "": "", "“Quoted”": "quoted", "ﬁne": "fine", "Straße": "strasse", "Zoe\u0308": "zoë",
		"zo\u200bë": "zoë", "ＡＢＣ": "abc", "１２": "12", "C++": "c++", "C ++": "c ++", "C#": "c#", "A+": "a+", "1/2": "1/2", "½": "1/2", "3½": "3 1/2", "1:30": "1:30", "1e-5": "1e-5", "(0,1)": "(0,1)", "(0, 1)": "(0,1)",
		"[0,1]": "[0,1]", "(Paris)": "paris", "(f)(x)": "(f)(x)", "1.2.3": "1.2.3", "x²": "x^2", "x^{2}": "x^2", "x2": "x2", "H₂O": "h2o", `50\%`: "50%", "50 %": "50%", "$5$": "5", "$5": "$5", "5!": "5!",
		"Vitamin A": "vitamin a", "An apple": "apple", "don't": "don't", "re-sign": "re sign", "x - y": "x-y", "x-y": "x-y", "Paris, France": "paris france", "Paris - France": "paris france", "0.333...": "0.333...", "Well...": "well",
		"1, 2, 3": "1,2,3", "x + 1": "x+1", "Who?": "who", "例。": "例", "**Paris**": "paris", `"yes"`: "yes", `5'10"`: `5'10"`, "1 000": "1 000", "1\u00a0000": "1000", "5 °C": "5°c", "e.g.": "eg", "example.com": "example.com",
		"Paris" + strings.Repeat(":", 40): "paris", "std::sort": "std::sort", strings.Repeat("an ", 40) + "apple": "apple",
		strings.Repeat("(", 9) + "x" + strings.Repeat(")", 9): "x", strings.Repeat("(", 40) + "x" + strings.Repeat(")", 40): strings.Repeat("(", 40) + "x" + strings.Repeat(")", 40),
		`5\text{ km}`: "5 km", "¿Qué?": "qué", "- Paris": "paris", "not Paris": "not paris", "Lord of the Rings": "lord of rings",
	} {
		if got := Normalized(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
