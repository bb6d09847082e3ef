package jinja

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// tokenKind says what a token is.
type tokenKind int

const (
	tokEOF      tokenKind = iota
	tokData               // text between tags
	tokVar                // {{
	tokVarEnd             // }}
	tokBlock              // {%
	tokBlockEnd           // %}
	tokName
	tokString // text is the value
	tokInt
	tokFloat
	tokOp
)

// A token is one piece of a template.
type token struct {
	kind tokenKind
	text string
	line int
}

func (t token) String() string {
	switch t.kind {
	case tokEOF:
		return "the end of the template"
	case tokBlockEnd, tokVarEnd:
		return "the end of the tag"
	}
	return fmt.Sprintf("%q", t.text)
}

// lexer cuts a template into tokens the way Jinja does with trim_blocks and lstrip_blocks on: the first newline after a
// block or comment goes, and so do spaces and tabs before one that is the first thing on its line; a - inside a tag
// strips all white space on that side, a + none.
type lexer struct {
	src         string
	at          int
	tokens      []token
	lineStart   bool // the text at hand begins a line
	line        int
	lineCounted int // src[:lineCounted] is counted in line
}

// lex cuts source, whose last newline is dropped.
func lex(source string) ([]token, error) {
	source = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(source)
	source = strings.TrimSuffix(source, "\n")
	l := &lexer{src: source, lineStart: true, line: 1}
	for l.at < len(l.src) {
		if err := l.next(); err != nil {
			return nil, &Error{Line: l.lineAt(l.at), Err: err}
		}
	}
	l.emit(tokEOF, "", len(l.src))
	return l.tokens, nil
}

// lineAt is the line of position at, which never goes back far.
func (l *lexer) lineAt(at int) int {
	if at < l.lineCounted {
		return l.line - strings.Count(l.src[at:l.lineCounted], "\n")
	}
	l.line += strings.Count(l.src[l.lineCounted:at], "\n")
	l.lineCounted = at
	return l.line
}

func (l *lexer) emit(kind tokenKind, text string, at int) {
	l.tokens = append(l.tokens, token{kind, text, l.lineAt(at)})
}

// next handles the text up to the next tag, and the tag.
func (l *lexer) next() error {
	start := l.at
	open := findTag(l.src, start)
	if open < 0 {
		l.emit(tokData, l.src[start:], start)
		l.at = len(l.src)
		return nil
	}
	kind := l.src[open+1]
	l.at = open + 2
	sign := byte(0)
	if c := l.peek(); c == '-' || c == '+' {
		sign = c
		l.at++
	}
	l.data(start, open, sign, kind != '{')
	l.lineStart = false
	switch {
	case kind == '#':
		return l.comment()
	case kind == '%' && l.rawTag("raw") >= 0:
		return l.raw()
	}
	return l.tag(kind, open)
}

// findTag is the position of the next {{, {% or {#.
func findTag(s string, from int) int {
	for i := from; ; i++ {
		j := strings.IndexByte(s[i:], '{')
		if j < 0 || i+j+1 >= len(s) {
			return -1
		}
		i += j
		if strings.IndexByte("{%#", s[i+1]) >= 0 {
			return i
		}
	}
}

// data emits src[start:end], the text before a tag, stripped as the tag's sign asks for.
func (l *lexer) data(start, end int, sign byte, lstrip bool) {
	text := l.src[start:end]
	switch {
	case sign == '-':
		text = strings.TrimRightFunc(text, IsSpace)
	case sign != '+' && lstrip:
		at := strings.LastIndexByte(text, '\n') + 1
		if (at > 0 || l.lineStart) && strings.TrimFunc(text[at:], IsSpace) == "" {
			text = text[:at]
		}
	}
	if text != "" {
		l.emit(tokData, text, start)
	}
}

func (l *lexer) peek() byte {
	if l.at < len(l.src) {
		return l.src[l.at]
	}
	return 0
}

func (l *lexer) has(prefix string) bool { return strings.HasPrefix(l.src[l.at:], prefix) }

// end consumes the end of a tag (-%}, +%} or %}; likewise }} and #}) and the white space that goes with it.
func (l *lexer) end(mark string, trim bool) bool {
	switch {
	case l.has("-" + mark):
		l.at += 1 + len(mark)
		l.skipSpace()
	case trim && l.has("+"+mark):
		l.at += 1 + len(mark)
	case l.has(mark):
		l.at += len(mark)
		if trim && l.peek() == '\n' {
			l.at++
		}
	default:
		return false
	}
	l.lineStart = l.src[l.at-1] == '\n'
	return true
}

func (l *lexer) skipSpace() {
	for l.at < len(l.src) {
		c, n := utf8.DecodeRuneInString(l.src[l.at:])
		if !IsSpace(c) {
			return
		}
		l.at += n
	}
}

// comment skips to behind the next end of a comment.
func (l *lexer) comment() error {
	for ; l.at < len(l.src); l.at++ {
		if l.end("#}", true) {
			return nil
		}
	}
	return fmt.Errorf("a comment {# has no end #}")
}

// rawTag returns where the tag {% name %} whose opening has been read ends its name, or -1 when it is another tag.
func (l *lexer) rawTag(name string) int {
	rest := strings.TrimLeftFunc(l.src[l.at:], IsSpace)
	after, ok := strings.CutPrefix(rest, name)
	if !ok {
		return -1
	}
	after = strings.TrimLeftFunc(after, IsSpace)
	if !strings.HasPrefix(after, "%}") && !strings.HasPrefix(after, "-%}") && !strings.HasPrefix(after, "+%}") {
		return -1
	}
	return len(l.src) - len(after)
}

// raw emits the text up to {% endraw %} as it is.
func (l *lexer) raw() error {
	l.at = l.rawTag("raw")
	l.end("%}", false)
	start := l.at
	for from := start; ; {
		open := strings.Index(l.src[from:], "{%")
		if open < 0 {
			return fmt.Errorf("{%% raw %%} has no {%% endraw %%}")
		}
		open += from
		from, l.at = open+2, open+2
		sign := byte(0)
		if c := l.peek(); c == '-' || c == '+' {
			sign = c
			l.at++
		}
		if at := l.rawTag("endraw"); at >= 0 {
			l.data(start, open, sign, true)
			l.at = at
			l.end("%}", true)
			return nil
		}
	}
}
