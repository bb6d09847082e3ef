package answer

import (
	"math/big"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// LastNumber returns the last number of a text in the canonical form of [Math]: the answer of models that put nothing in a box. It is false
// where the last thing that looks like a number is none, as 12,34, 2^5 or 3\sqrt{2}.
// A sign belongs to the number where it follows neither a number, nor a word, nor a bracket: -2 is in "x = -2" and "x = - 2", not in "4-2".
func LastNumber(text string) (canonical string, ok bool) {
	if said, ok := Member(text, "answer"); ok {
		text = said
	}
	var last *big.Rat
	for _, last = range numbers(inOneNotation(text)) {
	}
	return canonicalForm(last)
}

// OnlyNumber says whether a text has no number but the given one, which is in canonical form.
func OnlyNumber(text, canonical string) bool {
	for _, n := range numbers(inOneNotation(text)) {
		if other, ok := canonicalForm(n); !ok || other != canonical {
			return false
		}
	}
	return true
}

// numbers are those of a text in one notation, in order; nil stands for what looks like a number and is none. Exponents and indices are left
// out: there is no 2 in cm^2 and x_2.
func numbers(s string) []*big.Rat {
	var all []*big.Rat
	for at := 0; at < len(s); {
		n := numeral{length: max(1, raisedAt(s, at))}
		if begins(s, at) {
			n = numeralAt(s[at:])
			all = append(all, n.signed(s, at)...)
		}
		at += max(n.length, 1)
	}
	return all
}

var raised = regexp.MustCompile(`^[\^_][+-]?[0-9]+`)

// raisedAt is the length of an exponent or index.
func raisedAt(s string, at int) int {
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	switch {
	case s[at] != '^' && (s[at] != '_' || !follows(before)): // _5_ is a number in italics
		return 0
	case strings.HasPrefix(s[at+1:], "{"):
		_, n := argumentAt(s[at+1:])
		return 1 + n
	}
	return len(raised.FindString(s[at:]))
}

// before matches a sign that belongs to what follows, with the currency between them. A blank may follow it where a term can only begin, as in
// "= - 5"; elsewhere such a sign may be one of a list of lines.
var before = regexp.MustCompile(`(?:(?:^|[^\pL\p{Nd})\]}])([+-])|[=≈(] ?([+-]) )(?:[$€£¥₹] ?)?$`)

// signWidth is how far before a number its sign may begin, in bytes.
const signWidth = 16

// signed is the number at a place of a text with the sign that stands before it; a list in brackets, (2,3), is several.
func (n numeral) signed(s string, at int) []*big.Rat {
	values := []*big.Rat{n.value}
	if n.value == nil {
		values = n.list(s, at)
	}
	m := before.FindStringSubmatch(s[max(0, at-signWidth):at])
	if first := values[0]; first != nil && m != nil && m[1]+m[2] == "-" {
		first.Neg(first)
	}
	return values
}

var (
	list       = regexp.MustCompile(`^[0-9.]+(?:,[0-9.]+)+$`)
	opensList  = regexp.MustCompile(`[(\[{][+-]?$`)
	closesList = regexp.MustCompile(`^\\?[)\]}]`)
)

// list reads digits that are no number as a list in brackets; outside of them, 12,34 may be a decimal of another country.
func (n numeral) list(s string, at int) []*big.Rat {
	run := s[at : at+n.length]
	if !list.MatchString(run) || !opensList.MatchString(s[max(0, at-2):at]) || !closesList.MatchString(s[at+n.length:]) {
		return []*big.Rat{nil}
	}
	var values []*big.Rat
	for _, part := range strings.Split(run, ",") {
		v := decimalAt(part)
		if v.length < len(part) {
			v.value = nil
		}
		values = append(values, v.value)
	}
	return values
}

// begins says whether a numeral begins at a place of a text.
func begins(s string, at int) bool {
	switch s[at] {
	case '.':
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		return at+1 < len(s) && isDigit(s[at+1]) && !follows(before) && before != '.'
	case '\\':
		return strings.HasPrefix(s[at:], `\frac`) || strings.HasPrefix(s[at:], `\sqrt`)
	}
	return isDigit(s[at])
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// follows says whether a sign behind r joins two terms.
func follows(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(")]}", r)
}
