package eval

import (
	"math/big"
	"regexp"
	"strings"
)

// An Answer is the final answer of a text. Two answers are equal exactly when their canonical forms are; all texts without a
// readable answer share the zero Answer.
type Answer struct {
	Canonical string `json:"canonical,omitempty"`
	OK        bool   `json:"ok"`
}

// A Parser returns the final answer of a text in canonical form (§8.2); ok is false when there is none. [Math] and [NLI] are
// parsers, and so is the Answer method of any task.
type Parser func(text string) (canonical string, ok bool)

// Read applies a parser to a text.
func (p Parser) Read(text string) Answer {
	canonical, ok := p(text)
	if !ok {
		return Answer{}
	}
	return Answer{Canonical: canonical, OK: true}
}

// Math returns the final answer of a solution of a maths problem (§8.2): the content of the last box, which must be an
// integer, a decimal (either may be followed by unit words) or a fraction of integers. The canonical form is the reduced
// fraction, "7", "-5/2".
func Math(text string) (canonical string, ok bool) {
	content, ok := boxed(text)
	if !ok {
		return "", false
	}
	canonical, ok = number(strings.TrimSpace(dropGroupCommas(mathNoise.Replace(content))))
	if len(canonical) > maxNumber { // a decimal of so many places, which as a fraction would not be read again
		return "", false
	}
	return canonical, ok
}

// NLI returns the final answer of a natural-language-inference problem (§8.2): "entailment", "neutral" or "contradiction".
func NLI(text string) (canonical string, ok bool) {
	content, ok := boxed(text)
	if !ok {
		return "", false
	}
	switch label := strings.Trim(strings.ToLower(content), "'\"`‘’“” \t\r\n.,;:!"); label {
	case "entailment", "neutral", "contradiction":
		return label, true
	}
	return "", false
}

// boxed returns the content of the last box without the markup that only changes its looks.
func boxed(text string) (content string, ok bool) {
	b, ok := LastBox(text)
	if !ok {
		return "", false
	}
	return unwrap(b.Content(text)), true
}

// wrappers are pairs that may enclose a whole content without changing its meaning.
var wrappers = [][2]string{
	{`\text{`, `}`}, {`\textbf{`, `}`}, {`\mathrm{`, `}`}, {`\mathbf{`, `}`}, {`$`, `$`}, {`\(`, `\)`},
}

// unwrap takes away wrappers from the outside in, as long as there are any.
func unwrap(s string) string {
	for {
		s = strings.TrimSpace(s)
		inner, ok := unwrapOnce(s)
		if !ok {
			return s
		}
		s = inner
	}
}

func unwrapOnce(s string) (inner string, ok bool) {
	for _, w := range wrappers {
		if len(s) < len(w[0])+len(w[1]) || !strings.HasPrefix(s, w[0]) || !strings.HasSuffix(s, w[1]) {
			continue
		}
		inner = s[len(w[0]) : len(s)-len(w[1])]
		if w[1] != "}" || balanced(inner) { // \text{a} and \text{b} begins and ends like one wrapper
			return inner, true
		}
	}
	return "", false
}

// balanced says whether every closing brace has an opening one before it, and the other way round.
func balanced(s string) bool {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}

// mathNoise removes currency and percent signs and LaTeX spacing; `\$` and `\%` are tried before the bare signs.
var mathNoise = strings.NewReplacer(`\$`, "", `\%`, "", `\,`, "", `\!`, "", `\ `, "", `$`, "", `%`, "")

// decimal reads 12, -3.5 and .5, also before units: "12 apples", "3\text{ cm}". quotient reads 3/4, fraction reads -\frac{3}{4}. Exponents and
// mixed numbers are no answers.
var (
	digitRun = regexp.MustCompile(`[0-9,]+`)
	grouped  = regexp.MustCompile(`^[0-9]{1,3}(?:,[0-9]{3})+$`)
	decimal  = regexp.MustCompile(`^([+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+))(?:\s[\pL\s.]*|\s*\\text\{[\pL\s.]*\})?$`)
	quotient = regexp.MustCompile(`^([+-]?[0-9]+)/([+-]?[0-9]+)$`)
	fraction = regexp.MustCompile(`^([+-]?)\\[dt]?frac\{([+-]?[0-9]+)\}\{([+-]?[0-9]+)\}$`)
)

// dropGroupCommas removes the commas between groups of three digits: 1,234,567 but not 12,34.
func dropGroupCommas(s string) string {
	return digitRun.ReplaceAllStringFunc(s, func(run string) string {
		if grouped.MatchString(run) {
			return strings.ReplaceAll(run, ",", "")
		}
		return run
	})
}

// maxNumber bounds the text of a number, because reducing a fraction takes time quadratic in its length.
const maxNumber = 2000

// number reads one number, and nothing else, as a reduced fraction.
func number(s string) (canonical string, ok bool) {
	if len(s) > maxNumber {
		return "", false
	}
	if m := decimal.FindStringSubmatch(s); m != nil {
		return rational(m[1])
	}
	if m := quotient.FindStringSubmatch(s); m != nil {
		return ratio(m[1], m[2])
	}
	if m := fraction.FindStringSubmatch(s); m != nil {
		canonical, ok = ratio(m[2], m[3])
		if ok && m[1] == "-" {
			return rational("-1", canonical)
		}
		return canonical, ok
	}
	return "", false
}

// rational returns the product of numbers in canonical form.
func rational(factors ...string) (canonical string, ok bool) {
	product := big.NewRat(1, 1)
	for _, f := range factors {
		r, ok := new(big.Rat).SetString(f)
		if !ok {
			return "", false
		}
		product.Mul(product, r)
	}
	return product.RatString(), true
}

// ratio returns a/b in canonical form; b = 0 is no number.
func ratio(a, b string) (canonical string, ok bool) {
	var num, den big.Int
	num.SetString(a, 10)
	den.SetString(b, 10)
	if den.Sign() == 0 {
		return "", false
	}
	return new(big.Rat).SetFrac(&num, &den).RatString(), true
}
