package eval

import (
	"regexp"
	"strings"
)

// anyNumber matches the numbers of a text, with the sign or letter before them.
var anyNumber = regexp.MustCompile(`(?:(^|[^0-9A-Za-z)\]])([+-]))?([0-9][0-9,]*(?:\.[0-9]+)?)`)

// LastNumber returns the last number of a text in the canonical form of [Math]: the answer of models that put nothing in a box.
// A sign belongs to the number where it follows neither a number, nor a word, nor a bracket: -2 is in "x = -2", not in "4-2".
func LastNumber(text string) (canonical string, ok bool) {
	all := anyNumber.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return "", false
	}
	last := all[len(all)-1]
	return number(last[2] + dropGroupCommas(strings.TrimRight(last[3], ",")))
}
