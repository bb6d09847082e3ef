package oniguruma

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// characters are the escapes of single characters.
var characters = map[byte]rune{'t': '\t', 'n': '\n', 'r': '\r', 'f': '\f', 'v': '\v', 'a': '\a', 'e': 0x1B}

// escape reads a backslash and what it escapes; repeats is false for places.
func (p *parser) escape(o options) (out string, repeats bool) {
	if s, ok := p.setEscape(); ok {
		p.folded = 0
		return s.expression(), true
	}
	if len(p.rest) < 2 {
		p.failf("it ends in a backslash")
		return "", true
	}
	word := wordSet().or(latinNumbers).expression()
	switch p.rest[1] {
	case 'b':
		out = "(?:(?<=" + word + ")(?!" + word + ")|(?<!" + word + ")(?=" + word + "))"
	case 'B':
		out = "(?:(?<=" + word + ")(?=" + word + ")|(?<!" + word + ")(?!" + word + "))"
	case 'A':
		out = `\A`
	case 'z':
		out = `\z`
	case 'Z':
		out = `(?=\n?\z)`
	case 'R':
		p.rest = p.rest[2:]
		return `(?>\r\n|[\n-\r\u0085\u2028\u2029])`, true
	default:
		return p.literal(p.character(), o), true
	}
	p.rest = p.rest[2:]
	return out, repeats
}

// character reads the escape of one character.
func (p *parser) character() rune {
	if len(p.rest) < 2 {
		p.failf("it ends in a backslash")
		return 0
	}
	c := p.rest[1]
	if r, ok := characters[c]; ok {
		p.rest = p.rest[2:]
		return r
	}
	switch {
	case c == 'x' && strings.HasPrefix(p.rest, `\x{`):
		digits, rest, _ := strings.Cut(p.rest[3:], "}")
		p.rest = rest
		return p.codePoint(digits, 8)
	case c == 'x' && len(p.rest) >= 4:
		digits := p.rest[2:4]
		p.rest = p.rest[4:]
		if r := p.codePoint(digits, 2); r < utf8.RuneSelf {
			return r
		}
		p.failf(`a byte of a character: write \x{...} or \u....`)
		return 0
	case c == 'u' && len(p.rest) >= 6:
		digits := p.rest[2:6]
		p.rest = p.rest[6:]
		return p.codePoint(digits, 4)
	case c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z':
		p.failf("the escape %.2q is not supported", p.rest)
		return 0
	}
	p.rest = p.rest[1:]
	return p.next()
}

// codePoint reads the number of a character.
func (p *parser) codePoint(digits string, most int) rune {
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || len(digits) > most || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
		p.failf("%.20q is not the number of a character", digits)
		return 0
	}
	return rune(n)
}

// setEscape reads an escape that stands for a set, in a class or outside of one; ok is false where another one stands.
func (p *parser) setEscape() (s set, ok bool) {
	if len(p.rest) < 2 {
		return nil, false
	}
	letter := p.rest[1]
	switch letter {
	case 'w', 'W':
		s = wordSet()
		if p.depthOfClass == 0 {
			s = s.or(latinNumbers)
		}
	case 'd', 'D':
		s = category("Nd")
	case 's', 'S':
		s = spaces()
	case 'h', 'H':
		s = setOf(span{'0', '9'}, span{'A', 'F'}, span{'a', 'f'})
	case 'N':
		s = setOf(span{'\n', '\n'}).not()
	case 'O':
		s = set{}.not()
	case 'p', 'P':
		return p.property()
	default:
		return nil, false
	}
	if p.depthOfClass > 0 && (letter == 'N' || letter == 'O') {
		return nil, false
	}
	p.rest = p.rest[2:]
	if strings.IndexByte("WDSH", letter) >= 0 {
		s = s.not()
	}
	return s, true
}

// property reads \p{Name}, \p{^Name} or \P{Name}.
func (p *parser) property() (set, bool) {
	name, rest, ok := strings.Cut(p.rest[2:], "}")
	if !ok || !strings.HasPrefix(name, "{") {
		p.failf(`%.2q without a name in braces is not supported`, p.rest)
		return nil, true
	}
	negated := p.rest[1] == 'P'
	p.rest = rest
	name = name[1:]
	if inner, ok := strings.CutPrefix(name, "^"); ok {
		name, negated = inner, !negated
	}
	s, ok := property(name)
	if !ok {
		p.failf("the property %.40q is not supported", name)
	}
	if negated {
		s = s.not()
	}
	return s, true
}
