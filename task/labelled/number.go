package labelled

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// Data sets write an integer or decimal with an optional sign and a small exponent, or one with commas between groups of three digits.
var (
	plainNumber   = regexp.MustCompile(`^[+-]?([0-9]{1,100}(\.[0-9]{0,100})?|\.[0-9]{1,100})([eE][+-]?[0-9]{1,3})?$`)
	groupedNumber = regexp.MustCompile(`^[+-]?[0-9]{1,3}(,[0-9]{3}){1,33}(\.[0-9]{0,100})?$`)
)

// Number returns the canonical form of a gold answer (maporl.md §8.2), "7", "-5/2". A comma that does not part groups of three digits is an
// error: 1,5 may be 1.5 or 15.
func Number(text string) (string, error) {
	plain := strings.TrimSpace(text)
	if groupedNumber.MatchString(plain) {
		plain = strings.ReplaceAll(plain, ",", "")
	}
	if !plainNumber.MatchString(plain) {
		return "", notNumber(text)
	}
	r, ok := new(big.Rat).SetString(plain)
	if !ok {
		return "", notNumber(text)
	}
	return r.RatString(), nil
}

// notNumber says why a gold answer is none, and what to write.
func notNumber(text string) error {
	if strings.Contains(text, ",") {
		return fmt.Errorf("answer %.40q is no number: commas stand between groups of three digits, as in 1,234, and decimals behind a point", strings.TrimSpace(text))
	}
	return fmt.Errorf("answer %.40q is no number: write an integer or a decimal, such as 72, -3.5 or 1,234", strings.TrimSpace(text))
}

// whole is [Number] for sets in which only whole answers can be right: a float that a program printed cannot be matched digit
// by digit.
func whole(text string) (string, error) {
	n, err := Number(text)
	if err == nil && strings.Contains(n, "/") {
		return "", &NoLabel{fmt.Sprintf("answer %s is not whole", text)}
	}
	return n, err
}
