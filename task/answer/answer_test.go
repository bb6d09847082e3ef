package answer

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// §8.2: what is a maths answer, and its canonical form. An empty want means unparseable.
func TestSection82Math(t *testing.T) {
	for _, c := range []struct{ content, want string }{
		{`12`, "12"},
		{` +12 `, "12"},
		{`-12`, "-12"},
		{`.5`, "1/2"},
		{`-.25`, "-1/4"},
		{`3.0`, "3"},
		{`007`, "7"},
		{`-0`, "0"},
		{`1,234`, "1234"},
		{`1,234,567.50`, "2469135/2"},
		{`12,34`, ""},
		{`1,2345`, ""},
		{`1234,567`, ""},
		{`$5`, "5"},
		{`\$5`, "5"},
		{`5\%`, "5"},
		{`50%`, "50"},
		{`$5$`, "5"},
		{`\(5\)`, "5"},
		{`1\,000`, "1000"},
		{`\!5`, "5"},
		{`$ 5`, "5"},
		{`7 dollars`, "7"},
		{`7 sq. ft.`, "7"},
		{`7\text{ km}`, "7"},
		{`7 \text{km}`, "7"},
		{`\text{7 km}`, "7"},
		{`7 häuser`, "7"},
		{`\textbf{8}`, "8"},
		{`\mathrm{8}`, "8"},
		{`\mathbf{8}`, "8"},
		{`\text{\textbf{8}}`, "8"},
		{`$\text{8}$`, "8"},
		{`\frac{1}{2}`, "1/2"},
		{`\dfrac{2}{4}`, "1/2"},
		{`-\tfrac{3}{6}`, "-1/2"},
		{`\frac{-3}{6}`, "-1/2"},
		{`-\frac{-3}{6}`, "1/2"},
		{`3/4`, "3/4"},
		{`-6/8`, "-3/4"},
		{`6/-8`, "-3/4"},
		{`8/2`, "4"},
		{`1,000/3`, "1000/3"},
		{`1/0`, ""},
		{`\frac{1}{0}`, ""},
		{`\frac12`, "1/2"},
		{`\frac{1.5}{2}`, "3/4"},
		{`1.5/2`, "3/4"},
		{`8 + 4`, ""},
		{`x = 3`, "3"},
		{`2x`, ""},
		{``, ""},
		{`   `, ""},
		{`7 km/h`, "7"},
		{`7 m^2`, "7"},
		{`5.`, "5"},
		{`440~\text{km}`, "440"},
		{`440\mathrm{~km}`, "440"},
		{`3~5`, ""},
		{`3~500`, ""},
		{`8 \quad`, "8"},
		{`12\quad\text{eggs}`, "12"},
		{`１２`, "12"},
		{`＄1，234`, "1234"},
		{`x \approx 5.5`, "11/2"},
		{`\approx -5`, "-5"},
		{`2x ≈ 5`, ""},
		{`1e5`, "100000"},
		{`- 5`, "-5"},
		{`--5`, ""},
		{`1 2`, ""},
		{`\text{a} 5 \text{b}`, ""},
		{`\frac1{2}`, "1/2"},
		{`\frac{1}2`, "1/2"},
		{`\frac 3 4`, "3/4"},
		{`\cfrac{25}{16}`, "25/16"},
		{`-\frac35`, "-3/5"},
		{`\frac{360}7`, "360/7"},
		{`\frac{1}{2}\text{ cup}`, "1/2"},
		{`3/4 cups`, "3/4"},
		{`\frac{\pi}{6}`, ""},
		{`-\frac1{2x}`, ""},
		{`\frac{7}{5} + \frac{1}{5} i`, ""},
		{`20^\circ`, "20"},
		{`20^{\circ}`, "20"},
		{`20°`, "20"},
		{`20^\circ\text{C}`, "20"},
		{`-20 °F`, "-20"},
		{`440\text{ cm}^2`, "440"},
		{`144 \mbox{ m}^3`, "144"},
		{`440 cm$^2$`, "440"},
		{`440 cm²`, "440"},
		{`9.8 m/s^2`, "49/5"},
		{`9.8\,\mathrm{m/s}^{2}`, "49/5"},
		{`5 kg·m^2`, "5"},
		{`5cm`, "5"},
		{`5cm^2`, "5"},
		{`18 km/h`, "18"},
		{`$5/hour`, "5"},
		{`60 miles per hour`, "60"},
		{`12\text{ square units}`, "12"},
		{`5 foot-pounds`, "5"},
		{`1{,}000`, "1000"},
		{`1{,}5`, ""},
		{`1 000`, "1000"},
		{`1\ 000`, "1000"},
		{`771,\!400`, "771400"},
		{`111, \! 111, \! 111`, "111111111"},
		{`12,\!000,\!085`, "12000085"},
		{`1.234,5`, ""},
		{`12,5`, ""},
		{`−5`, "-5"},
		{`-\$5`, "-5"},
		{`\$-5`, "-5"},
		{`+-5`, ""},
		{`x=5`, "5"},
		{`x = -10`, "-10"},
		{`x_1 = 5`, "5"},
		{`\theta=30^\circ`, "30"},
		{`\angle ABC = 30^\circ`, "30"},
		{`P(X) = \frac12`, "1/2"},
		{`\text{Total} = 5`, "5"},
		{`Total cost = $5`, "5"},
		{`2x = 10`, ""},
		{`x + 1 = 5`, ""},
		{`3 + 4 = 7`, ""},
		{`x > 5`, ""},
		{`x = 5, y = 3`, ""},
		{`y = 2x + 3`, ""},
		{`3\frac12`, "7/2"},
		{`-3\frac{1}{2}`, "-7/2"},
		{`3 1/2`, "7/2"},
		{`3½`, "7/2"},
		{`½`, "1/2"},
		{`2\frac{5}{3}`, ""},
		{`2 million`, "2000000"},
		{`\$2.5 \text{ million}`, "2500000"},
		{`5 hundred`, "500"},
		{`5 hundred apples`, "500"},
		{`3 and a half`, "7/2"},
		{`3 and a half million`, "3500000"},
		{`2 thirds`, "2/3"},
		{`5 dozen eggs`, "5"},
		{`5 half`, ""},
		{`twenty`, ""},
		{`20 five`, ""},
		{`5 squared`, ""},
		{`5 plus some`, ""},
		{`5 - x`, ""},
		{`5k`, ""},
		{`3 x`, ""},
		{`3\pi`, ""},
		{`3 pi`, ""},
		{`2i`, ""},
		{`6\sqrt3`, ""},
		{`\sqrt{6}`, ""},
		{`1.5e-3`, "3/2000"},
		{`1.5\times10^{-3}`, "3/2000"},
		{`1.5×10⁻³`, "3/2000"},
		{`2^{10}`, ""},
		{`10^3`, "1000"},
		{`10000_2`, ""},
		{`5!`, ""},
		{`0.\overline{3}`, "1/3"},
		{`(5)`, "5"},
		{`{5}`, "5"},
		{`\left(-3\right)`, "-3"},
		{`(4,5)`, ""},
		{`1,3`, ""},
		{`8\text{ or }9`, ""},
		{`\pm 3`, ""},
		{`\$ 139`, "139"},
		{`5 €`, "5"},
		{`50¢`, "50"},
		{`five`, ""},
		{`∞`, ""},
	} {
		got, ok := Math(`so \boxed{` + c.content + `}`)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%q is %q, %v, want %q", c.content, got, ok, c.want)
		}
	}
}

func TestSection82NLI(t *testing.T) {
	for _, c := range []struct{ content, want string }{
		{`Entailment`, "entailment"},
		{`"neutral".`, "neutral"},
		{`‘Contradiction’;`, "contradiction"},
		{` neutral ! `, "neutral"},
		{`\text{neutral}`, "neutral"},
		{`\textbf{\text{Neutral}}`, "neutral"},
		{`maybe`, ""},
		{`not neutral`, ""},
		{``, ""},
		{`entail`, ""},
	} {
		got, ok := NLI(`so \boxed{` + c.content + `}`)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%q is %q, %v, want %q", c.content, got, ok, c.want)
		}
	}
}

func TestSection82LastBox(t *testing.T) {
	for _, c := range []struct {
		text, content string
		ok            bool
	}{
		{`\boxed{1} \boxed{2}`, "2", true},
		{`\boxed{5} and \boxed{6`, "5", true},
		{`\boxed{\frac{1}{2}}`, `\frac{1}{2}`, true},
		{`\boxed{1 \boxed{2} 3}`, "2", true},
		{`{ \boxed{1}`, "1", true},
		{`} \boxed{1} }`, "1", true},
		{`\boxed{\{1\}}`, `\{1\}`, true},
		{`\\boxed{1}`, "1", true},
		{`\boxed{1\}`, "", false},
		{`\boxed 1`, "", false},
		{`boxed{1}`, "", false},
		{``, "", false},
	} {
		box, ok := LastBox(c.text)
		if ok != c.ok {
			t.Errorf("%q: box %v, want %v", c.text, ok, c.ok)
		} else if ok && box.Content(c.text) != c.content {
			t.Errorf("%q: content %q, want %q", c.text, box.Content(c.text), c.content)
		}
	}
}

// A number is the same answer however it is written.
func TestCanonicalFormIsOfTheNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Int64Range(-1e6, 1e6).Draw(t, "a")
		b := rapid.Int64Range(1, 1000).Draw(t, "b")
		f := rapid.Int64Range(1, 50).Draw(t, "f")
		want := big.NewRat(a, b).RatString()
		for _, text := range []string{
			fmt.Sprintf(`\boxed{%d/%d}`, a*f, b*f), fmt.Sprintf(`\boxed{\dfrac{%d}{%d}}`, a*f, b*f), fmt.Sprintf(`$\boxed{%s}$`, want),
		} {
			if got, ok := Math(text); !ok || got != want {
				t.Fatalf("%s is %q, want %q", text, got, want)
			}
		}
		cents := rapid.Int64Range(0, 1e9).Draw(t, "cents")
		decimal := fmt.Sprintf("%d.%02d", cents/100, cents%100)
		if got, _ := Math(`\boxed{` + decimal + ` dollars}`); got != big.NewRat(cents, 100).RatString() {
			t.Fatalf("%s is %q", decimal, got)
		}
	})
}

func TestHugeNumbersAreRefusedQuickly(t *testing.T) {
	if got, ok := Math(`\boxed{` + strings.Repeat("9", 1000) + `}`); !ok || got != strings.Repeat("9", 1000) {
		t.Error("a thousand digits are not read")
	}
	if _, ok := Math(`\boxed{0.` + strings.Repeat("7", 1_000_000) + `}`); ok {
		t.Error("a million digits are read")
	}
	if _, ok := Math(strings.Repeat(`\boxed{`, 200_000)); ok {
		t.Error("an answer in boxes that never close")
	}
}

// Boxes finds in one pass what the definition finds from every opening on its own.
func TestBoxesAgainstDefinition(t *testing.T) {
	piece := rapid.SampledFrom([]string{`\boxed{`, `{`, `}`, `\{`, `\}`, `\`, `a`, `1`})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 14).Draw(t, "pieces"), "")
		want := map[Box]bool{}
		for i := range text {
			if end := closing(text, i); strings.HasPrefix(text[i:], boxOpening) && end > 0 {
				want[Box{i, i + len(boxOpening), end}] = true
			}
		}
		got := Boxes(text)
		if len(got) != len(want) {
			t.Fatalf("%q has boxes %v, want %v", text, got, want)
		}
		for _, b := range got {
			if !want[b] {
				t.Fatalf("%q has boxes %v, want %v", text, got, want)
			}
		}
	})
}

// closing returns the index after the brace that closes the first one from i on, or 0.
func closing(text string, i int) int {
	depth := 0
	for ; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text) && strings.ContainsRune("{}", rune(text[i+1])):
			i++
		case text[i] == '{':
			depth++
		case text[i] == '}':
			if depth--; depth == 0 {
				return i + 1
			}
			if depth < 0 {
				return 0
			}
		}
	}
	return 0
}

func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		``, `\boxed{}`, `\boxed{12}`, `\boxed{\frac{1}{2}}`, `\boxed{5} and \boxed{6`, `\boxed{\text{40 km}}`, `\boxed{$1,234.50}`,
		`\boxed{'contradiction.'}`, `\boxed{-7/21}`, `\boxed{\boxed{3}}`, "\\boxed{\xff}", `\boxed{\(\$ 3\)}`,
	} {
		f.Add(s)
	}
	f.Add(`\boxed{0.` + strings.Repeat("3", 1000) + `}`)
	f.Fuzz(func(t *testing.T, text string) {
		if label, ok := NLI(text); ok && label != "entailment" && label != "neutral" && label != "contradiction" {
			t.Errorf("label %q", label)
		}
		answer, ok := Math(text)
		if !ok {
			if answer != "" {
				t.Errorf("unparseable, and yet %q", answer)
			}
			return
		}
		r, isNumber := new(big.Rat).SetString(answer)
		if !isNumber || r.RatString() != answer {
			t.Errorf("%q is not canonical", answer)
		}
		shown := Show(text, answer)
		if again, ok := Math(string(shown)); !ok || again != answer {
			t.Errorf("shown as %q, the answer %q reads %q", shown, answer, again)
		}
	})
}
