package answer_test

import (
	"fmt"
	"math/big"
	"os"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/task/answer"
)

// groups writes the digits of n in groups of three.
func groups(n int64, mark string) string {
	digits := fmt.Sprint(n)
	var parts []string
	for len(digits) > 3 {
		parts = append([]string{digits[len(digits)-3:]}, parts...)
		digits = digits[:len(digits)-3]
	}
	return strings.Join(append([]string{digits}, parts...), mark)
}

// decimals writes n/10^places.
func decimals(n int64, places int) string {
	return new(big.Rat).SetFrac(big.NewInt(n), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)).FloatString(places)
}

// A notation writes a number that is not negative, which it draws.
type notation func(t *rapid.T) (text string, value *big.Rat)

func whole(mark string) notation {
	return func(t *rapid.T) (string, *big.Rat) {
		n := rapid.Int64Range(0, 1e12).Draw(t, "n")
		return groups(n, mark), big.NewRat(n, 1)
	}
}

func fraction(format string) notation {
	return func(t *rapid.T) (string, *big.Rat) {
		a, b := rapid.Int64Range(0, 1e6).Draw(t, "a"), rapid.Int64Range(1, 1e6).Draw(t, "b")
		return fmt.Sprintf(format, a, b), big.NewRat(a, b)
	}
}

func mixed(format string) notation {
	return func(t *rapid.T) (string, *big.Rat) {
		b := rapid.Int64Range(2, 1000).Draw(t, "b")
		a, n := rapid.Int64Range(1, b-1).Draw(t, "a"), rapid.Int64Range(0, 99).Draw(t, "n")
		return fmt.Sprintf(format, n, a, b), big.NewRat(n*b+a, b)
	}
}

func scientific(format string) notation {
	return func(t *rapid.T) (string, *big.Rat) {
		n, places, e := rapid.Int64Range(0, 1e6).Draw(t, "n"), rapid.IntRange(0, 6).Draw(t, "places"), rapid.IntRange(-30, 30).Draw(t, "e")
		text := decimals(n, places)
		value, _ := new(big.Rat).SetString(fmt.Sprintf("%se%d", text, e))
		return fmt.Sprintf(format, text, e), value
	}
}

var notations = map[string]notation{
	"plain": whole(""), "commas": whole(","), "blanks": whole(" "), "no-break": whole("\u00a0"), "thin": whole("\u2009"), "narrow": whole("\u202f"),
	"LaTeX commas": whole("{,}"), "LaTeX spaces": whole(`\,`), "tight commas": whole(`,\!`), "apostrophes": whole("'"), "underscores": whole("_"),
	"slash": fraction("%d/%d"), "fraction slash": fraction("%d⁄%d"), "frac": fraction(`\frac{%d}{%d}`), "dfrac": fraction(`\dfrac{%d}{%d}`),
	"spaced frac": fraction(`\frac { %d } {%d}`), "mixed": mixed("%d %d/%d"), "mixed frac": mixed(`%d\frac{%d}{%d}`), "spaced mixed": mixed(`%d \tfrac{%d}{%d}`),
	"e": scientific("%se%d"), "E": scientific("%sE%+d"), "times": scientific(`%s \times 10^{%d}`), "cross": scientific("%s×10^%d"),
	"decimals": func(t *rapid.T) (string, *big.Rat) {
		text := decimals(rapid.Int64Range(0, 1e9).Draw(t, "n"), rapid.IntRange(0, 9).Draw(t, "places"))
		value, _ := new(big.Rat).SetString(text)
		return text, value
	},
	"bare decimals": func(t *rapid.T) (string, *big.Rat) {
		text := rapid.StringMatching(`\.[0-9]{1,9}`).Draw(t, "decimals")
		value, _ := new(big.Rat).SetString(text)
		return text, value
	},
	"single digits": func(t *rapid.T) (string, *big.Rat) {
		a, b := rapid.Int64Range(0, 9).Draw(t, "a"), rapid.Int64Range(1, 9).Draw(t, "b")
		return fmt.Sprintf(`\frac%d%d`, a, b), big.NewRat(a, b)
	},
	"repeating": func(t *rapid.T) (string, *big.Rat) {
		p := rapid.Int64Range(0, 999).Draw(t, "period")
		return fmt.Sprintf(`0.\overline{%03d}`, p), big.NewRat(p, 999)
	},
	"million": func(t *rapid.T) (string, *big.Rat) {
		n := rapid.Int64Range(0, 999).Draw(t, "n")
		return fmt.Sprint(n, " million"), big.NewRat(n*1_000_000, 1)
	},
}

// TestDocumentedNotations: docs/data.md says how each of its examples is read, and so it is.
func TestDocumentedNotations(t *testing.T) {
	page, err := os.ReadFile("../../docs/data.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "## How numbers are read")
	quoted, checked := regexp.MustCompile("`([^`]+)`"), 0
	for _, line := range strings.Split(section, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || !strings.Contains(line, "`") {
			continue
		}
		values := strings.Split(strings.TrimSpace(cells[3]), ", ")
		for i, m := range quoted.FindAllStringSubmatch(cells[2], -1) {
			boxed, _ := answer.Math(`\boxed{` + m[1] + `}`)
			if last, _ := answer.LastNumber("It is " + m[1]); i >= len(values) || boxed != values[i] || last != values[i] {
				t.Errorf("%s is read as %q in a box and as %q in a text, and the page says %q", m[1], boxed, last, values)
			}
			checked++
		}
	}
	if checked < 20 {
		t.Errorf("%d examples found", checked)
	}
}

// Whatever notation a number is written in, with whatever sign and currency before it and unit behind it, it is read as that number: out of
// a box, and as the last number of a text.
func TestEveryNotationIsReadBack(t *testing.T) {
	signs := map[string]bool{"": false, "-": true, "−": true, "$": false, "-$": true, `\$`: false, `-\$`: true, "€": false}
	units := []string{"", ".", " dollars", `\text{ cm}^2`, " km/h", "%", `\%`, " sq. ft."}
	for name, write := range notations {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				text, value := write(t)
				sign := rapid.SampledFrom([]string{"", "-", "−", "$", "-$", `\$`, `-\$`, "€"}).Draw(t, "sign")
				if signs[sign] {
					value = new(big.Rat).Neg(value)
				}
				text = sign + text + rapid.SampledFrom(units).Draw(t, "unit")
				want := value.RatString()
				boxed := `7 of them: \boxed{` + rapid.SampledFrom([]string{"", "x = ", `\theta=`}).Draw(t, "name") + text + `}`
				if got, _ := answer.Math(boxed); got != want {
					t.Fatalf("%s is read as %q, want %s", boxed, got, want)
				}
				last := rapid.SampledFrom([]string{"", "x = ", "from 3 to ", "It is: "}).Draw(t, "before") + text + rapid.SampledFrom([]string{"", "\nDone.", ", I think"}).Draw(t, "after")
				if got, _ := answer.LastNumber(last); got != want {
					t.Fatalf("the last number of %q is %q, want %s", last, got, want)
				}
			})
		})
	}
}
