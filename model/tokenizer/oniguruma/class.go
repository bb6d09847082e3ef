package oniguruma

import "strings"

// class reads a class in brackets.
func (p *parser) class(o options) string {
	p.folded = 0
	return p.classSet(o).expression()
}

// classSet reads a class, or one in another: an intersection (&&) of unions, or what is in none of them.
func (p *parser) classSet(o options) set {
	p.enter()
	p.depthOfClass++
	defer func() { p.depth, p.depthOfClass = p.depth-1, p.depthOfClass-1 }()
	p.take("[")
	negated := p.take("^")
	out := p.union(o, true)
	for p.take("&&") {
		out = out.and(p.union(o, false))
	}
	if !p.take("]") {
		p.failf("a character class is not closed")
	}
	if o.ignoreCase {
		out = p.foldedSet(out, negated)
	}
	if negated {
		return out.not()
	}
	return out
}

// union reads members up to the end of the class or an intersection. A ] stands for itself where it is the first member.
func (p *parser) union(o options, first bool) set {
	var spans []span
	for ; p.rest != "" && (first || p.rest[0] != ']') && !strings.HasPrefix(p.rest, "&&"); first = false {
		switch {
		case strings.HasPrefix(p.rest, "[:"):
			spans = append(spans, p.posix()...)
		case p.rest[0] == '[':
			if o.ignoreCase {
				p.failf("classes within each other are not supported without regard to case")
				return nil
			}
			spans = append(spans, p.classSet(o)...)
		default:
			spans = append(spans, p.members()...)
		}
	}
	return setOf(spans...)
}

// members reads a character, a range of them, or an escape that stands for a set.
func (p *parser) members() []span {
	if p.rest[0] == '\\' {
		if s, ok := p.setEscape(); ok {
			if strings.HasPrefix(p.rest, "-") && !strings.HasPrefix(p.rest, "-]") {
				p.failf("a range cannot begin with a set: %.20q", p.rest)
			}
			return s
		}
	}
	dash := p.rest[0] == '-'
	lo := p.member()
	if !strings.HasPrefix(p.rest, "-") || strings.HasPrefix(p.rest, "-]") {
		return []span{{lo, lo}}
	}
	p.take("-")
	if dash || p.rest == "" || p.rest[0] == '[' || strings.HasPrefix(p.rest, "&&") {
		p.failf("a - that may be a range or not: write \\-")
		return nil
	}
	hi := p.member()
	if lo > hi {
		p.failf("a range from %q to %q", lo, hi)
	}
	if strings.HasPrefix(p.rest, "-") && !strings.HasPrefix(p.rest, "-]") {
		p.failf("a - behind a range: write \\-")
	}
	return []span{{lo, hi}}
}

// member reads one character of a class.
func (p *parser) member() rune {
	switch {
	case strings.HasPrefix(p.rest, `\b`):
		p.rest = p.rest[2:]
		return '\b'
	case p.rest[0] == '\\':
		return p.character()
	}
	return p.next()
}

// posix reads [:name:] or [:^name:].
func (p *parser) posix() set {
	name, rest, ok := strings.Cut(p.rest[2:], ":]")
	inner, negated := strings.CutPrefix(name, "^")
	s, known := posixClass(inner)
	if !ok || !known {
		p.failf("the class %.20q is not supported", p.rest)
		return nil
	}
	p.rest = rest
	if negated {
		return s.not()
	}
	return s
}
