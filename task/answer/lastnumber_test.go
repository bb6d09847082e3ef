package answer_test

import (
	"strings"
	"testing"

	"parley/task/answer"
)

func TestLastNumber(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "",
		"No idea.":                   "",
		"14":                         "14",
		"The answer is 14. 4 + 10 =": "10",
		"12-2=10.":                   "10",
		"12 - 2":                     "2",
		"It is 4-2":                  "2",
		"x = -2.":                    "-2",
		"(-3)":                       "-3",
		"1,234 apples, really":       "1234",
		"5, then":                    "5",
		"0.50":                       "1/2",
		`\boxed{7}, not 8`:           "8",
		"007":                        "7",
		"٣":                          "",
	} {
		if got, ok := answer.LastNumber(text); got != want || ok != (want != "") {
			t.Errorf("LastNumber(%q) = %q, %v, want %q", text, got, ok, want)
		}
	}
}

func FuzzLastNumber(f *testing.F) {
	for _, s := range []string{"1,2,3", "-", "1e9", "3.", "--4", "1/2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, ok := answer.LastNumber(text); ok {
			if again, ok := answer.LastNumber(text + " " + got); got != again && !strings.Contains(got, "/") || !ok {
				t.Errorf("%q gives %q, its canonical form %q", text, got, again)
			}
		}
	})
}
