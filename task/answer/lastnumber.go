package answer

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
	return signed(all[len(all)-1])
}

// OnlyNumber says whether a text has no number but the given one, which is in canonical form.
func OnlyNumber(text, canonical string) bool {
	for _, m := range anyNumber.FindAllStringSubmatch(text, -1) {
		if other, ok := signed(m); !ok || other != canonical {
			return false
		}
	}
	return true
}

// signed reads a match of anyNumber.
func signed(match []string) (canonical string, ok bool) {
	return number(match[2] + dropGroupCommas(strings.TrimRight(match[3], ",")))
}
