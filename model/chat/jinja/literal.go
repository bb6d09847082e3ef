package jinja

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// number emits an integer or float literal. What cannot belong to it begins another token: 07 is 0 and 7, which no expression allows.
func (l *lexer) number() error {
	start := l.at
	kind := l.float()
	if kind == tokInt {
		l.at = start
		l.whole()
	}
	l.emit(kind, strings.ReplaceAll(l.src[start:l.at], "_", ""), start)
	return nil
}

const decimals = "0123456789"

// float advances over a literal with a fraction or an exponent. In x.0.1 the 0.1 is none.
func (l *lexer) float() tokenKind {
	afterDot := l.at > 0 && l.src[l.at-1] == '.'
	l.digits(decimals)
	fraction := !afterDot && l.fraction()
	if exponent := !afterDot && l.exponent(); fraction || exponent {
		return tokFloat
	}
	return tokInt
}

// whole advances over an integer: with a prefix that says its base, or of zeros alone where it begins with one.
func (l *lexer) whole() {
	for prefix, set := range map[string]string{"0x": "0123456789abcdefABCDEF", "0b": "01", "0o": "01234567"} {
		start := l.at
		if !l.has(prefix) && !l.has(strings.ToUpper(prefix)) {
			continue
		}
		if l.at += 2; l.peek() == '_' {
			l.at++
		}
		if l.digits(set) {
			return
		}
		l.at = start
	}
	if l.peek() == '0' {
		l.digits("0")
		return
	}
	l.digits(decimals)
}

// digits advances over digits with single underscores between them.
func (l *lexer) digits(set string) bool {
	is := func(at int) bool { return at < len(l.src) && strings.IndexByte(set, l.src[at]) >= 0 }
	start := l.at
	for is(l.at) || l.at > start && l.peek() == '_' && is(l.at+1) {
		l.at++
	}
	return l.at > start
}

func (l *lexer) fraction() bool {
	if l.peek() != '.' || l.at+1 >= len(l.src) || l.src[l.at+1] < '0' || l.src[l.at+1] > '9' {
		return false
	}
	l.at++
	l.digits(decimals)
	return true
}

func (l *lexer) exponent() bool {
	rest := l.src[l.at:]
	if rest == "" || rest[0] != 'e' && rest[0] != 'E' {
		return false
	}
	digits := strings.TrimLeft(rest[1:], "+-")
	if len(rest)-1-len(digits) > 1 || digits == "" || digits[0] < '0' || digits[0] > '9' {
		return false
	}
	l.at = len(l.src) - len(digits)
	l.digits(decimals)
	return true
}

// str emits a string literal.
func (l *lexer) str() error {
	start, quote := l.at, l.src[l.at]
	for i := start + 1; i < len(l.src); i++ {
		switch l.src[i] {
		case '\\':
			i++
		case quote:
			value, err := unescape(l.src[start+1 : i])
			if err != nil {
				return err
			}
			l.emit(tokString, value, start)
			l.at = i + 1
			return nil
		}
	}
	return fmt.Errorf("a string has no closing %c", quote)
}

var simpleEscapes = map[byte]string{
	'n': "\n", 't': "\t", 'r': "\r", '\\': "\\", '\'': "'", '"': "\"", 'a': "\a", 'b': "\b",
	'f': "\f", 'v': "\v", '\n': "",
}

// unescape resolves Python's escapes in a string literal. Unknown ones stay as they are.
func unescape(s string) (string, error) {
	if !strings.Contains(s, `\`) {
		return s, nil
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		if i >= len(s) {
			return "", fmt.Errorf("a string ends with a lone backslash")
		}
		text, n, err := escape(s[i:])
		if err != nil {
			return "", err
		}
		b.WriteString(text)
		i += n - 1
	}
	return b.String(), nil
}

// escape reads one escape after its backslash and returns how many bytes it took.
func escape(s string) (text string, n int, err error) {
	if t, ok := simpleEscapes[s[0]]; ok {
		return t, 1, nil
	}
	switch c := s[0]; {
	case c >= '0' && c <= '7':
		n := 1
		for n < 3 && n < len(s) && s[n] >= '0' && s[n] <= '7' {
			n++
		}
		v, _ := strconv.ParseUint(s[:n], 8, 32)
		return string(rune(v)), n, nil
	case c == 'x' || c == 'u' || c == 'U':
		digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
		if len(s) <= digits {
			return "", 0, fmt.Errorf(`escape \%c needs %d digits`, c, digits)
		}
		v, err := strconv.ParseUint(s[1:1+digits], 16, 32)
		if err != nil || v > utf8.MaxRune || v >= 0xd800 && v < 0xe000 {
			return "", 0, fmt.Errorf(`escape \%s is no character`, s[:1+digits])
		}
		return string(rune(v)), 1 + digits, nil
	case c == 'N':
		return "", 0, fmt.Errorf(`escape \N{...} is not supported; write the character itself`)
	}
	_, size := utf8.DecodeRuneInString(s)
	return `\` + s[:size], size, nil
}
