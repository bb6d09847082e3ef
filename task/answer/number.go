package answer

import (
	"math/big"
	"regexp"
	"strings"
)

// A numeral is what stands at one place of a text: so many bytes, and the number that they write, without its sign. The value is nil where
// they write none: 12,34 or 2^5 or 3\sqrt{2}. Nothing starts there where length is 0.
type numeral struct {
	value  *big.Rat
	length int
}

// maxNumber bounds the text of a number, because reducing a fraction takes time quadratic in its length.
const maxNumber = 2000

// canonicalForm writes a number as a reduced fraction, "7", "-5/2". One of so many digits that it would not be read again has none.
func canonicalForm(value *big.Rat) (canonical string, ok bool) {
	if value == nil {
		return "", false
	}
	if canonical = value.RatString(); len(canonical) > maxNumber {
		return "", false
	}
	return canonical, true
}

// rational reads a decimal or a fraction of integers; nil: it is too long, or divides by nothing.
func rational(text string) *big.Rat {
	if len(text) > maxNumber {
		return nil
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return r
}

// factor is what makes a number part of an expression: \sqrt{2} or \pi behind it, a power, the base of its digits.
var factor = regexp.MustCompile(`^(?:\s*\\(?:sqrt|pi|frac)|\^\{?\s*[+-]?[0-9A-Za-z(]|_\{?[0-9])`)

// numeralAt reads the longest numeral at the start of s, which is in one notation: a decimal or a fraction or both, with the number words
// behind it.
func numeralAt(s string) numeral {
	n := magnitudeAt(s)
	switch {
	case n.value == nil:
		return n
	case factor.MatchString(s[n.length:]):
		return numeral{length: n.length}
	}
	return n.withWords(s)
}

// magnitudeAt is [numeralAt] without number words.
func magnitudeAt(s string) numeral {
	switch {
	case strings.HasPrefix(s, `\frac`):
		return latexFractionAt(s)
	case strings.HasPrefix(s, `\sqrt`):
		_, n := argumentAt(s[len(`\sqrt`):])
		return numeral{length: len(`\sqrt`) + n}
	}
	for _, at := range []func(string) numeral{repeatingAt, mixedAt} {
		if n := at(s); n.length > 0 {
			return n
		}
	}
	n := decimalAt(s)
	if n.value == nil {
		return n
	}
	for _, longer := range []func(string) numeral{n.timesPower, n.overNumber, n.andFraction} {
		if m := longer(s); m.length > n.length {
			return m
		}
	}
	return n
}

// A run of digits is a decimal where its commas, or the other marks that people set between thousands, divide groups of three.
var (
	digitRun  = regexp.MustCompile(`^(?:[0-9]+(?:[.,][0-9]+)*|\.[0-9]+)`)
	spacedRun = regexp.MustCompile(`^[0-9]{1,3}(?:[ _'’][0-9]{3}){1,12}(?:\.[0-9]+)?`)
	goesOn    = regexp.MustCompile(`^[.,_'’]?[0-9]`)
	decimal   = regexp.MustCompile(`^(?:[0-9]*\.)?[0-9]+$`)
	grouped   = regexp.MustCompile(`^[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?$`)
	marks     = strings.NewReplacer(",", "", " ", "", "_", "", "'", "", "’", "")
)

// decimalAt reads 12, .5, 1,234.50 and 18 000. Other runs, such as 12,34 or 1.2.3, are no number.
func decimalAt(s string) numeral {
	run := spacedRun.FindString(s)
	if run == "" || goesOn.MatchString(s[len(run):]) {
		run = digitRun.FindString(s)
		if !decimal.MatchString(run) && !grouped.MatchString(run) {
			return numeral{length: len(run)}
		}
	}
	return numeral{rational(marks.Replace(run)), len(run)}
}

var repeating = regexp.MustCompile(`^([0-9]{1,50})\.([0-9]{0,50})\\(?:overline|bar)\{([0-9]{1,50})\}`)

// repeatingAt reads 0.1\overline{6}: what repeats, p, adds p/((10^|p| − 1)·10^k) to the k decimals before it.
func repeatingAt(s string) numeral {
	m := repeating.FindStringSubmatch(s)
	if m == nil {
		return numeral{}
	}
	nines := strings.Repeat("9", len(m[3])) + strings.Repeat("0", len(m[2]))
	value := rational(m[1] + "." + m[2] + "0")
	return numeral{value.Add(value, quotient(rational(m[3]), rational(nines), false)), len(m[0])}
}

var (
	exponent = regexp.MustCompile(`^[eE]([+-]?[0-9]{1,3})([0-9A-Za-z]?)`)
	power    = regexp.MustCompile(`^(?:\s*[×·*]\s*10)?\s*\^\s*(?:\{\s*([+-]?[0-9]{1,3})\s*\}|([+-]?[0-9]{1,3}))`)
)

// timesPower reads 1.5e-3 and 1.5×10^{-3}; 10^3 too.
func (n numeral) timesPower(s string) numeral {
	rest := s[n.length:]
	if m := exponent.FindStringSubmatch(rest); m != nil && m[2] == "" {
		return numeral{n.times(m[1]), n.length + len(m[0])}
	}
	m := power.FindStringSubmatch(rest)
	switch {
	case m == nil:
		return numeral{}
	case strings.HasPrefix(strings.TrimSpace(m[0]), "^"):
		if s[:n.length] != "10" {
			return numeral{}
		}
		n.value = big.NewRat(1, 1)
	}
	return numeral{n.times(m[1] + m[2]), n.length + len(m[0])}
}

// times returns the value times a power of ten.
func (n numeral) times(power string) *big.Rat {
	return new(big.Rat).Mul(n.value, rational("1e"+power))
}
