package form

import (
	"strings"
	"unicode/utf8"
)

// quoted adds strings of JSON.
func (c *compiler) quoted(v value, at string, from, to int32) {
	first, last := c.newNode(), c.newNode()
	c.edge(from, '"', '"', first)
	c.edge(last, '"', '"', to)
	if expression := contentExpression(v, at); expression != "" {
		if v.hasAny("minLength", "maxLength") {
			refuse(at, "a length beside pattern or format cannot be forced")
		}
		c.searched(expression, at, first, last)
		return
	}
	least, most := between(v, "minLength", "maxLength", at)
	for n := 0; ; n++ {
		if n >= least {
			c.empty(first, last)
		}
		if n == most {
			return
		}
		if most < 0 && n >= least {
			c.class(first, allCharacters, first, true)
			return
		}
		next := c.newNode()
		c.class(first, allCharacters, next, true)
		first = next
	}
}

// contentExpression is the regular expression that the content of a string must have; empty: any.
func contentExpression(v value, at string) string {
	f, named := v.member("format")
	if named && f.kind != text {
		refuse(at, "format must be a text")
	}
	known := formats[f.text]
	p, ok := v.member("pattern")
	switch {
	case !ok:
		return known
	case p.kind != text:
		refuse(at, "pattern must be a text")
	case known != "":
		refuse(at, "pattern beside format cannot be forced")
	case p.text == "":
		return "(?:)"
	}
	return p.text
}

// formats are the formats that are more than annotations.
var formats = map[string]string{
	"date":      "^" + date + "$",
	"time":      "^" + clock + "$",
	"date-time": "^" + date + "[Tt]" + clock + "$",
	"uuid":      "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
}

const (
	date  = `[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))`
	clock = `([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])`
)

// short are the characters that a backslash and a letter stand for, and those letters.
const short, shortLetters = "\"\\\b\f\n\r\t", `"\bfnrt`

// escaped says whether a character is written with a backslash in strings.
func escaped(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == 0x7f }

// A symbol is what may stand at one place of a literal: one of these bytes, or, of a space, nothing.
type symbol string

// blank is the space that may be behind a comma or a colon.
const blank symbol = " ?"

// symbol adds one and returns the node behind it.
func (c *compiler) symbol(at int32, s symbol) int32 {
	next := c.newNode()
	if s == blank {
		c.edge(at, ' ', ' ', next)
		c.empty(at, next)
		return next
	}
	for i := range len(s) {
		c.edge(at, s[i], s[i], next)
	}
	return next
}

// quotedLiteral appends a string as it is written where its content is given: nothing is escaped that need not be.
func quotedLiteral(to []symbol, content string) []symbol {
	to = append(to, `"`)
	for _, r := range content {
		if r == utf8.RuneError { // what JSON has for it may be half of a pair, which no text of UTF-8 has
			refuse("", "the text %q has a character that is none, or U+FFFD", content)
		}
		if !escaped(r) {
			to = literal(to, string(r))
			continue
		}
		to = append(to, `\`)
		if i := strings.IndexRune(short, r); i >= 0 {
			to = append(to, symbol(shortLetters[i:i+1]))
			continue
		}
		to = literal(to, "u00"+hexDigits[r>>4:r>>4+1])
		to = append(to, eitherCase(r&15))
	}
	return append(to, `"`)
}

const hexDigits = "0123456789abcdef"

// eitherCase is a hexadecimal digit.
func eitherCase(digit rune) symbol {
	s := hexDigits[digit : digit+1]
	if u := strings.ToUpper(s); u != s {
		s += u
	}
	return symbol(s)
}

// literal appends a text byte by byte.
func literal(to []symbol, s string) []symbol {
	for i := range len(s) {
		to = append(to, symbol(s[i:i+1]))
	}
	return to
}
