package answer

import (
	"math/big"
	"regexp"
	"strings"
)

var (
	denominator = regexp.MustCompile(`^/([+-]?)[0-9]`)
	longerDate  = regexp.MustCompile(`^(?:/[0-9]+)+`)
)

// overNumber reads 1/2. A date, 1/2/2024, is no number.
func (n numeral) overNumber(s string) numeral {
	m := denominator.FindStringSubmatch(s[n.length:])
	if m == nil {
		return numeral{}
	}
	length := n.length + len("/") + len(m[1])
	d := decimalAt(s[length:])
	length += d.length
	if date := longerDate.FindString(s[length:]); date != "" {
		return numeral{length: length + len(date)}
	}
	return numeral{quotient(n.value, d.value, m[1] == "-"), length}
}

// quotient is a/b, or its opposite; nil: there is none.
func quotient(a, b *big.Rat, negative bool) *big.Rat {
	if a == nil || b == nil || b.Sign() == 0 {
		return nil
	}
	q := new(big.Rat).Quo(a, b)
	if negative {
		q.Neg(q)
	}
	return q
}

var (
	mixed  = regexp.MustCompile(`^([0-9]{1,100}) ([0-9]{1,100})/([0-9]{1,100})([/0-9.,]?)`)
	digits = regexp.MustCompile(`^[0-9]+$`)
)

// mixedAt reads 3 1/2. The fraction is a proper one, else these are two numbers, or one in groups: 18 000/3.
func mixedAt(s string) numeral {
	m := mixed.FindStringSubmatch(s)
	if m == nil || strings.ContainsAny(m[4], "/0123456789") {
		return numeral{}
	}
	f := numeral{value: quotient(rational(m[2]), rational(m[3]), false)}
	if !f.proper() {
		return numeral{}
	}
	return numeral{f.value.Add(f.value, rational(m[1])), len(m[0]) - len(m[4])}
}

// andFraction reads a whole number with a proper \frac behind it; with another one it is a product.
func (n numeral) andFraction(s string) numeral {
	rest := strings.TrimLeft(s[n.length:], " ")
	if !strings.HasPrefix(rest, `\frac`) {
		return numeral{}
	}
	f := latexFractionAt(rest)
	length := len(s) - len(rest) + f.length
	if !f.proper() || !digits.MatchString(s[:n.length]) {
		return numeral{length: length}
	}
	return numeral{f.value.Add(f.value, n.value), length}
}

// proper says whether a number lies between 0 and 1.
func (n numeral) proper() bool {
	return n.value != nil && n.value.Sign() > 0 && n.value.Cmp(big.NewRat(1, 1)) < 0
}

// latexFractionAt reads \frac{3}{4} and \frac34.
func latexFractionAt(s string) numeral {
	length := len(`\frac`)
	var parts [2]*big.Rat
	for i := range parts {
		arg, n := argumentAt(s[length:])
		length += n
		parts[i] = signedNumber(arg)
	}
	return numeral{quotient(parts[0], parts[1], false), length}
}

// signedNumber reads an argument of \frac: a decimal with an optional sign, nothing else.
func signedNumber(arg string) *big.Rat {
	arg = strings.TrimSpace(arg)
	unsigned := strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "+"))
	n := decimalAt(unsigned)
	if n.value == nil || n.length < len(unsigned) {
		return nil
	}
	if strings.HasPrefix(arg, "-") {
		n.value.Neg(n.value)
	}
	return n.value
}

// maxArgument bounds an argument of a command of LaTeX.
const maxArgument = 500

// argumentAt returns an argument of a command of LaTeX, a group in braces or one character, and its length with blanks before it.
func argumentAt(s string) (arg string, length int) {
	trimmed := strings.TrimLeft(s, " ")
	blanks := len(s) - len(trimmed)
	if !strings.HasPrefix(trimmed, "{") {
		end := min(1, len(trimmed))
		return trimmed[:end], blanks + end
	}
	depth := 0
	for i := 0; i < min(len(trimmed), maxArgument); i++ {
		switch trimmed[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return trimmed[1:i], blanks + i + 1
			}
		}
	}
	return "", 0
}
