package tokenizer

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Oniguruma, which tokenizer.json files write their patterns for, and regexp2 share nearly all of their syntax. What they read
// differently is rewritten; what cannot be is an error, never another meaning.

// fromOniguruma rewrites an expression for regexp2.
func fromOniguruma(expr string) (string, error) {
	r := rewriter{rest: expr}
	for r.rest != "" && r.err == nil {
		r.step()
	}
	if r.err == nil && r.depth > 0 {
		r.err = errors.New("a character class is not closed")
	}
	return r.out.String(), r.err
}

type rewriter struct {
	rest  string
	out   strings.Builder
	depth int // of character classes
	err   error
}

// copy takes n bytes over and passes them.
func (r *rewriter) copy(n int) { r.put(r.rest[:n], n) }

// put writes s in the place of the next n bytes.
func (r *rewriter) put(s string, n int) {
	r.out.WriteString(s)
	r.rest = r.rest[n:]
}

// possessive is an interval with a plus, which in Oniguruma repeats the interval.
var possessive = regexp.MustCompile(`^\{(\d+),\d*\}\+`)

func (r *rewriter) step() {
	switch {
	case r.rest[0] == '\\':
		r.escape()
	case r.depth > 0:
		r.inClass()
	case r.rest[0] == '[':
		r.openClass()
	case r.rest[0] == '{':
		if m := possessive.FindStringSubmatch(r.rest); m != nil {
			r.put("{"+m[1]+",}", len(m[0]))
			return
		}
		r.copy(1)
	default:
		r.copy(1)
	}
}

// wordClass is Oniguruma's \w: Unicode's alphabetic characters, marks, digits and connectors, and in Latin-1 the other numbers.
const wordClass = `\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}Ⓐ-ⓩ🄰-🅉🅐-🅩🅰-🆉²³¹¼½¾`

func (r *rewriter) escape() {
	if len(r.rest) < 2 {
		r.err = errors.New("it ends in a backslash")
		return
	}
	switch {
	case r.rest[1] == 'h' && r.depth > 0:
		r.put("0-9A-Fa-f", 2)
	case r.rest[1] == 'h':
		r.put("[0-9A-Fa-f]", 2)
	case r.rest[1] == 'w' && r.depth > 0:
		r.put(wordClass, 2)
	case r.rest[1] == 'w':
		r.put("["+wordClass+"]", 2)
	case r.rest[1] == 'W' && r.depth == 0:
		r.put("[^"+wordClass+"]", 2)
	case strings.HasPrefix(r.rest, `\p{^`):
		r.put(`\P{`, 4)
	default:
		r.copy(2)
	}
}

// openClass copies the start of a class, with a first ] that stands for itself.
func (r *rewriter) openClass() {
	r.depth++
	r.copy(1)
	if strings.HasPrefix(r.rest, "^") {
		r.copy(1)
	}
	if strings.HasPrefix(r.rest, "]") {
		r.put(`\]`, 1)
	}
}

// inClass copies a class; an intersection with a negated class is written as a subtraction.
func (r *rewriter) inClass() {
	switch {
	case r.rest[0] == ']':
		r.depth--
		r.copy(1)
		if r.depth > 0 && !strings.HasPrefix(r.rest, "]") {
			r.err = errors.New("a subtraction must end its character class")
		}
	case strings.HasPrefix(r.rest, "&&[^"):
		r.put("-[", 4)
		r.depth++
	case strings.HasPrefix(r.rest, "&&"), r.rest[0] == '[':
		r.err = fmt.Errorf("character classes within each other are not supported: %.20q", r.rest)
	default:
		r.copy(1)
	}
}
