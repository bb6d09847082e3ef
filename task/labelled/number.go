package labelled

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// plainNumber matches what data sets write: an integer or decimal with optional sign and a small exponent.
var plainNumber = regexp.MustCompile(`^[+-]?([0-9]{1,100}(\.[0-9]{0,100})?|\.[0-9]{1,100})([eE][+-]?[0-9]{1,3})?$`)

// number returns the canonical form of a gold answer (maporl.md §8.2), "7", "-5/2"; thousands commas are dropped.
func number(text string) (string, error) {
	plain := strings.ReplaceAll(strings.TrimSpace(text), ",", "")
	if !plainNumber.MatchString(plain) {
		return "", fmt.Errorf("answer %.40q is no number", text)
	}
	r, ok := new(big.Rat).SetString(plain)
	if !ok {
		return "", fmt.Errorf("answer %.40q is no number", text)
	}
	return r.RatString(), nil
}

// whole is [number] for sets in which only whole answers can be right: a float that a program printed cannot be matched digit
// by digit.
func whole(text string) (string, error) {
	n, err := number(text)
	if err == nil && strings.Contains(n, "/") {
		return "", &NoLabel{fmt.Sprintf("answer %s is not whole", text)}
	}
	return n, err
}
