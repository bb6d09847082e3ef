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

		".5":                                  "1/2",
		"It is .5":                            "1/2",
		"-.5":                                 "-1/2",
		"wait...5":                            "5",
		"see no.5":                            "5",
		"−5":                                  "-5",
		"is –5":                               "-5",
		"pages 3–5":                           "5",
		"x = - 5":                             "-5",
		"so x ≈ - $5.5":                       "-11/2",
		"x = 7 - 5":                           "5",
		"Options:\n- 5\n- 7":                  "7",
		`440~\text{km}`:                       "440",
		"~5":                                  "5",
		"3~500":                               "500",
		"１２．５％":                               "25/2",
		"18\u2005000":                         "18000",
		"-$5":                                 "-5",
		"$-5":                                 "-5",
		`-\$5`:                                "-5",
		"$ 1,250.50":                          "2501/2",
		"$12-$5":                              "5",
		"1/2":                                 "1/2",
		"-1/2":                                "-1/2",
		"3/-4":                                "-3/4",
		"1⁄2":                                 "1/2",
		"1/0":                                 "",
		"1.5/2":                               "3/4",
		"on 1/2/2024":                         "",
		"km/5":                                "5",
		"12 / 4":                              "4",
		`\frac{1}{2}`:                         "1/2",
		`-\frac{1}{2}`:                        "-1/2",
		`\frac{-1}{2}`:                        "-1/2",
		`\dfrac12`:                            "1/2",
		`\tfrac{ 3 }{4}`:                      "3/4",
		`so $x=\cfrac{25}{16}$.`:              "25/16",
		`\frac{1}{2}-3`:                       "3",
		`\frac{\pi^2}{6}`:                     "",
		`\frac{1+\sqrt{5}}{4}`:                "",
		"1.5e-3":                              "3/2000",
		"2E3":                                 "2000",
		"1e5x":                                "5",
		`1.5 \times 10^{-3}`:                  "3/2000",
		"1.5×10⁻³":                            "3/2000",
		"3 * 10^2":                            "300",
		"10^3":                                "1000",
		"2^5":                                 "",
		`2^{10}`:                              "",
		"the square x^2 is 49; 49 x^2":        "49",
		`440\text{ cm}^2`:                     "440",
		"It is 440 cm^2.":                     "440",
		"440 cm²":                             "440",
		`20^\circ`:                            "20",
		"x_1 = 4, so x_2":                     "4",
		"It is __5__, or _5_":                 "5",
		"8_9":                                 "",
		`1{,}234`:                             "1234",
		`1{,}234.5`:                           "2469/2",
		"18 000":                              "18000",
		"18\u00a0000":                         "18000",
		"18\u202f000 people":                  "18000",
		"1\u2009234\u2009567":                 "1234567",
		`18\,000`:                             "18000",
		`771,\!400`:                           "771400",
		`111, \! 111, \! 111`:                 "111111111",
		"1_000":                               "1000",
		"1'234":                               "1234",
		"2020 100":                            "100",
		"5 1000":                              "1000",
		"(2,3)":                               "3",
		"(2, 3)":                              "3",
		"[-1,-2]":                             "-2",
		"(1,2,3)":                             "3",
		`\{2,5\}`:                             "5",
		"12,34":                               "",
		"1,2345":                              "",
		"1.234,5":                             "",
		"3.2.1":                               "",
		"3 1/2":                               "7/2",
		"-3 1/2 cups":                         "-7/2",
		"3½":                                  "7/2",
		`3\frac12`:                            "7/2",
		`3 \frac{1}{2}`:                       "7/2",
		`2\frac{5}{3}`:                        "",
		"take 5 7/2":                          "7/2",
		"2 million":                           "2000000",
		"$2.5 million dollars":                "2500000",
		"5 hundred":                           "500",
		"2 hundred thousand":                  "200000",
		"5 hundred apples":                    "500",
		"3 and a half":                        "7/2",
		"2 thirds":                            "2/3",
		"5 thousandths":                       "1/200",
		"5 dozen":                             "5",
		`6\sqrt3`:                             "",
		"2√2":                                 "",
		`90 - \frac{25}{2}\pi`:                "",
		"25π":                                 "",
		`0.\overline{3}`:                      "1/3",
		`0.1\overline{6}`:                     "1/6",
		`1.\overline{142857}`:                 "8/7",
		"33%":                                 "33",
		"100,200 300":                         "300",
		"5 " + strings.Repeat("9", 3000):      "",
		`\frac{` + strings.Repeat("{", 2000):  "",
		strings.Repeat("1 234 5678 ", 10_000): "5678",
	} {
		if got, ok := answer.LastNumber(text); got != want || ok != (want != "") {
			t.Errorf("LastNumber(%.60q) = %q, %v, want %q", text, got, ok, want)
		}
	}
}

func TestOnlyNumber(t *testing.T) {
	for _, c := range []struct {
		text, canonical string
		want            bool
	}{
		{"It is 7.", "7", true},
		{"7, that is 7.0", "7", true},
		{"none", "7", true},
		{"3 + 4 = 7", "7", false},
		{"-7", "7", false},
		{"12,34", "7", false},
		{"7 cm^2", "7", true},
	} {
		if got := answer.OnlyNumber(c.text, c.canonical); got != c.want {
			t.Errorf("OnlyNumber(%q, %s) = %v", c.text, c.canonical, got)
		}
	}
}

func FuzzLastNumber(f *testing.F) {
	for _, s := range []string{"1,2,3", "-", "1e9", "3.", "--4", "1/2", "(2,3)", `3\frac12`, `\frac{\frac12}3`, "5 million and a half", "x_{12}^{3", `0.\overline{3}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, ok := answer.LastNumber(text); ok {
			if again, ok := answer.LastNumber(text + " so: " + got); got != again || !ok {
				t.Errorf("%q gives %q, its canonical form %q", text, got, again)
			}
		}
	})
}
