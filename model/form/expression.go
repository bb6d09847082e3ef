package form

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// An alternative of a regular expression at its top.
type alternative struct {
	parts      []*syntax.Regexp
	begin, end bool // it has ^ and $
}

// wholeExpression returns the rule of the texts that an expression matches from their beginning to their end.
func (c *compiler) wholeExpression(expression string) int32 {
	r := c.newRule()
	for _, a := range parseExpression(expression, "") {
		c.parts(a.parts, "", c.start(r), c.end(r), false)
	}
	return r
}

// searched adds contents of strings in which an expression is found.
func (c *compiler) searched(expression, at string, from, to int32) {
	for _, a := range parseExpression(expression, at) {
		first, last := c.newNode(), c.newNode()
		c.empty(from, first)
		c.empty(last, to)
		if !a.begin {
			c.class(first, allCharacters, first, true)
		}
		if !a.end {
			c.class(last, allCharacters, last, true)
		}
		c.parts(a.parts, at, first, last, true)
	}
}

func parseExpression(expression, at string) []alternative {
	re, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		refuse(at, "the expression cannot be forced: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return alternatives(re)
}

// alternatives takes an expression apart at its top. Alternatives that begin alike have been brought together by the parser.
func alternatives(re *syntax.Regexp) []alternative {
	switch re.Op {
	case syntax.OpAlternate:
		var out []alternative
		for _, sub := range re.Sub {
			out = append(out, alternatives(sub)...)
		}
		return out
	case syntax.OpBeginText:
		return []alternative{{begin: true}}
	case syntax.OpEndText:
		return []alternative{{end: true}}
	case syntax.OpConcat:
		subs, begin := re.Sub, false
		for len(subs) > 1 && subs[0].Op == syntax.OpBeginText {
			subs, begin = subs[1:], true
		}
		last := len(subs) - 1
		var out []alternative
		for _, a := range alternatives(subs[last]) {
			out = append(out, alternative{slices.Concat(subs[:last], a.parts), begin || a.begin && last == 0, a.end})
			if a.begin && last > 0 {
				return []alternative{{parts: re.Sub}} // which is refused for its ^
			}
		}
		if !slices.ContainsFunc(out, func(a alternative) bool { return a.end }) {
			return []alternative{{parts: subs, begin: begin}}
		}
		return out
	}
	return []alternative{{parts: []*syntax.Regexp{re}}}
}

// parts adds expressions one behind the other.
func (c *compiler) parts(list []*syntax.Regexp, at string, from, to int32, quoted bool) {
	for _, re := range list {
		next := c.newNode()
		c.expression(re, at, from, next, quoted)
		from = next
	}
	c.empty(from, to)
}

// expression adds the texts of an expression between two nodes.
func (c *compiler) expression(re *syntax.Regexp, at string, from, to int32, quoted bool) {
	switch re.Op {
	case syntax.OpNoMatch:
	case syntax.OpEmptyMatch:
		c.empty(from, to)
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			next := c.newNode()
			c.class(from, spellings(r, re.Flags&syntax.FoldCase != 0), next, quoted)
			from = next
		}
		c.empty(from, to)
	case syntax.OpCharClass:
		c.class(from, re.Rune, to, quoted)
	case syntax.OpAnyChar:
		c.class(from, allCharacters, to, quoted)
	case syntax.OpAnyCharNotNL:
		c.class(from, except([]rune{'\n'}), to, quoted)
	case syntax.OpCapture:
		c.expression(re.Sub[0], at, from, to, quoted)
	case syntax.OpConcat:
		c.parts(re.Sub, at, from, to, quoted)
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			c.expression(sub, at, from, to, quoted)
		}
	case syntax.OpStar:
		c.repeat(re.Sub[0], 0, -1, at, from, to, quoted)
	case syntax.OpPlus:
		c.repeat(re.Sub[0], 1, -1, at, from, to, quoted)
	case syntax.OpQuest:
		c.repeat(re.Sub[0], 0, 1, at, from, to, quoted)
	case syntax.OpRepeat:
		c.repeat(re.Sub[0], re.Min, re.Max, at, from, to, quoted)
	default:
		refuse(at, `the expression cannot be forced: it has \b, or ^ or $ elsewhere than at the ends of an alternative at the top`)
	}
}

// repeat adds an expression from least to most times; most -1: without end.
func (c *compiler) repeat(re *syntax.Regexp, least, most int, at string, from, to int32, quoted bool) {
	for range max(least, most) {
		if least <= 0 {
			c.empty(from, to)
		}
		least--
		next := c.newNode()
		c.expression(re, at, from, next, quoted)
		from = next
	}
	if most < 0 {
		loop := c.newNode()
		c.empty(from, loop)
		c.expression(re, at, loop, loop, quoted)
		from = loop
	}
	c.empty(from, to)
}

// spellings is the class of a character; folded: with those that differ from it in case.
func spellings(r rune, folded bool) []rune {
	class := []rune{r, r}
	if folded {
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			class = append(class, f, f)
		}
	}
	slices.Sort(class)
	return class
}
