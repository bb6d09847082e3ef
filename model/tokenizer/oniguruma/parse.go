package oniguruma

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// translate rewrites an expression for regexp2.
func translate(expr string) (string, error) {
	if len(expr) > longest {
		return "", fmt.Errorf("it has %d bytes; %d are the most", len(expr), longest)
	}
	if !utf8.ValidString(expr) {
		return "", errors.New("it is not UTF-8")
	}
	p := parser{rest: expr}
	out := p.alternatives(options{})
	if p.err == nil && p.rest != "" {
		p.failf("there is a ) without (")
	}
	return out, p.err
}

// A parser reads an expression from left to right. After an error there is nothing left to read.
type parser struct {
	rest         string
	err          error
	depth        int  // of groups and classes
	depthOfClass int  // of classes alone
	folded       rune // the literal that stands last, if it is without regard to case; else 0
	written      int  // bytes of what is rewritten, of groups in groups each time
	behind       bool // within a look-behind
}

// options are those that (?im) sets.
type options struct{ ignoreCase, dotAll bool }

func (p *parser) failf(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
	p.rest = ""
}

// take passes a text that stands next, if it does.
func (p *parser) take(text string) bool {
	rest, ok := strings.CutPrefix(p.rest, text)
	if ok {
		p.rest = rest
	}
	return ok
}

// next passes one character.
func (p *parser) next() rune {
	r, n := utf8.DecodeRuneInString(p.rest)
	p.rest = p.rest[n:]
	return r
}

// enter counts a group or class that begins.
func (p *parser) enter() {
	if p.depth++; p.depth > deepest {
		p.failf("groups or classes are nested more than %d deep", deepest)
	}
}

// alternatives reads up to the end of the group.
func (p *parser) alternatives(o options) string {
	var b strings.Builder
	for {
		b.WriteString(p.sequence(o))
		if !p.take("|") {
			return b.String()
		}
		b.WriteByte('|')
		p.folded = 0
	}
}

// sequence reads one alternative.
func (p *parser) sequence(o options) string {
	var b strings.Builder
	for p.rest != "" && p.rest[0] != '|' && p.rest[0] != ')' {
		if set, ok := p.isolatedOptions(o); ok {
			// What follows in the group, its other alternatives too, is a group with these options.
			return b.String() + "(?:" + p.alternatives(set) + ")"
		}
		atom, repeats := p.atom(o)
		if repeats {
			atom = p.quantified(atom)
		} else if p.rest != "" && strings.ContainsRune("*+?", rune(p.rest[0])) {
			p.failf("a place cannot be repeated: %.20q", p.rest)
		}
		if p.written += len(atom); p.written > longestOut {
			p.failf("what its sets of characters are written as is too long")
		}
		b.WriteString(atom)
	}
	return b.String()
}

// atom reads what a quantifier can follow; repeats is false for places such as ^.
func (p *parser) atom(o options) (out string, repeats bool) {
	switch p.rest[0] {
	case '(':
		return p.group(o)
	case '[':
		return p.class(o), true
	case '\\':
		return p.escape(o)
	case '*', '+', '?':
		p.failf("there is nothing to repeat before %.20q", p.rest)
		return "", true
	case '^':
		p.next()
		return `(?:\A|(?<=\n)(?!\z))`, false
	case '$':
		p.next()
		return `(?=\n|\z)`, false
	case '.':
		p.next()
		if o.dotAll {
			return `[\s\S]`, true
		}
		return `[^\n]`, true
	}
	return p.literal(p.next(), o), true
}

// literal writes a character, without regard to case if the options say so.
func (p *parser) literal(r rune, o options) string {
	if o.ignoreCase {
		return p.foldedLiteral(r)
	}
	p.folded = 0
	return literal(r)
}

// group reads a group of any kind.
func (p *parser) group(o options) (out string, repeats bool) {
	p.enter()
	defer func() { p.depth-- }()
	switch {
	case p.take("(?#"):
		if _, rest, ok := strings.Cut(p.rest, ")"); ok {
			p.rest = rest
			return "", false
		}
		p.failf("a comment is not closed")
		return "", false
	case p.take("(?="):
		return "(?=" + p.body(o), false
	case p.take("(?!"):
		return "(?!" + p.body(o), false
	case p.take("(?<="):
		return "(?<=" + p.lookBehind(o), false
	case p.take("(?<!"):
		return "(?<!" + p.lookBehind(o), false
	case p.take("(?>"):
		if p.behind {
			p.failf("a look-behind has an atomic group")
		}
		return "(?>" + p.body(o), true
	case p.take("(?:"):
		return "(?:" + p.body(o), true
	case strings.HasPrefix(p.rest, "(?"):
		return p.optionGroup(o), true
	}
	p.take("(")
	return "(?:" + p.body(o), true // what it captures cannot be asked for
}

// body reads the rest of a group.
func (p *parser) body(o options) string {
	out := p.alternatives(o)
	if !p.take(")") {
		p.failf("a ( is not closed")
	}
	return out + ")"
}

func (p *parser) lookBehind(o options) string {
	defer func(outer bool) { p.behind = outer }(p.behind)
	p.behind = true
	return p.body(o)
}

// optionGroup reads a group such as (?i-m:a), or one with a name.
func (p *parser) optionGroup(o options) string {
	if strings.HasPrefix(p.rest, "(?<") {
		if _, rest, ok := strings.Cut(p.rest, ">"); ok {
			p.rest = rest
			return "(?:" + p.body(o)
		}
	}
	set, n := readOptions(p.rest, o)
	if n == 0 || p.rest[n] != ':' {
		p.failf("a group that begins so is not supported: %.20q", p.rest)
		return ""
	}
	p.rest = p.rest[n+1:]
	return "(?:" + p.body(set)
}

// isolatedOptions passes options such as (?i), which hold to the end of the group.
func (p *parser) isolatedOptions(o options) (options, bool) {
	set, n := readOptions(p.rest, o)
	if n == 0 || p.rest[n] != ')' {
		return o, false
	}
	p.rest = p.rest[n+1:]
	return set, true
}

// readOptions reads the options of a group that has some, up to what stands behind them; n is 0 where it has none.
func readOptions(s string, o options) (set options, n int) {
	if !strings.HasPrefix(s, "(?") {
		return o, 0
	}
	on := true
	for i, r := range s[2:] {
		switch r {
		case '-':
			on = false
		case 'i':
			o.ignoreCase = on
		case 'm':
			o.dotAll = on
		case ':', ')':
			if i == 0 {
				return o, 0
			}
			return o, 2 + i
		default:
			return o, 0
		}
	}
	return o, 0
}
