package answer

import (
	"math/big"
	"regexp"
	"strings"
)

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
