package jinja

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tag emits the tokens of a {{ }} or {% %}. Inside brackets its end mark is not one.
func (l *lexer) tag(kind byte, open int) error {
	begin, end, mark := tokVar, tokVarEnd, "}}"
	if kind == '%' {
		begin, end, mark = tokBlock, tokBlockEnd, "%}"
	}
	l.emit(begin, l.src[open:open+2], open)
	var brackets []byte
	for {
		l.skipSpace()
		if l.at >= len(l.src) {
			return fmt.Errorf("a tag %s has no end %s", l.src[open:open+2], mark)
		}
		at := l.at
		if len(brackets) == 0 && l.end(mark, kind == '%') {
			l.emit(end, mark, at)
			return nil
		}
		if err := l.word(&brackets); err != nil {
			return err
		}
	}
}

// word emits one token of an expression.
func (l *lexer) word(brackets *[]byte) error {
	start := l.at
	c, _ := utf8.DecodeRuneInString(l.src[start:])
	switch {
	case c >= '0' && c <= '9':
		return l.number()
	case c == '\'' || c == '"':
		return l.str()
	case isName(c):
		end := strings.IndexFunc(l.src[start:], func(c rune) bool { return !isName(c) })
		if end < 0 {
			end = len(l.src) - start
		}
		l.at += end
		l.emit(tokName, l.src[start:l.at], start)
		return nil
	}
	return l.operator(brackets)
}

var operators = []string{"//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{", "}", ">", "<", "=", ".", ":", "|", ",", ";"}

var closing = map[byte]byte{')': '(', ']': '[', '}': '{'}

func (l *lexer) operator(brackets *[]byte) error {
	for _, op := range operators {
		if !l.has(op) {
			continue
		}
		switch op[0] {
		case '(', '[', '{':
			*brackets = append(*brackets, op[0])
		case ')', ']', '}':
			n := len(*brackets)
			if n == 0 || (*brackets)[n-1] != closing[op[0]] {
				return fmt.Errorf("%q without its opening bracket", op)
			}
			*brackets = (*brackets)[:n-1]
		}
		l.emit(tokOp, op, l.at)
		l.at += len(op)
		return nil
	}
	c, _ := utf8.DecodeRuneInString(l.src[l.at:])
	return fmt.Errorf("unexpected character %q", c)
}

// isName says whether c may be part of a name.
func isName(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) }

// IsSpace is Python's notion of white space, which has four control characters more than Unicode's.
func IsSpace(c rune) bool { return unicode.IsSpace(c) || c >= 0x1c && c <= 0x1f }
