package oniguruma

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A set is a set of characters: spans in order that do not touch.
type set []span

// A span has the characters from lo to hi.
type span struct{ lo, hi rune }

// setOf joins spans in any order.
func setOf(spans ...span) set {
	spans = slices.Clone(spans)
	slices.SortFunc(spans, func(a, b span) int { return int(a.lo) - int(b.lo) })
	out := set{}
	for _, s := range spans {
		if last := len(out) - 1; last >= 0 && s.lo <= out[last].hi+1 {
			out[last].hi = max(out[last].hi, s.hi)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// fromTables is the characters of Unicode's tables.
func fromTables(tables ...*unicode.RangeTable) set {
	var spans []span
	for _, t := range tables {
		for _, r := range t.R16 {
			if r.Stride == 1 {
				spans = append(spans, span{rune(r.Lo), rune(r.Hi)})
				continue
			}
			for c := rune(r.Lo); c <= rune(r.Hi); c += rune(r.Stride) {
				spans = append(spans, span{c, c})
			}
		}
		for _, r := range t.R32 {
			if r.Stride == 1 {
				spans = append(spans, span{rune(r.Lo), rune(r.Hi)})
				continue
			}
			for c := rune(r.Lo); c <= rune(r.Hi); c += rune(r.Stride) {
				spans = append(spans, span{c, c})
			}
		}
	}
	return setOf(spans...)
}

func (s set) or(other set) set { return setOf(append(slices.Clone(s), other...)...) }

func (s set) not() set {
	out, next := set{}, rune(0)
	for _, each := range s {
		if next < each.lo {
			out = append(out, span{next, each.lo - 1})
		}
		next = each.hi + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, span{next, unicode.MaxRune})
	}
	return out
}

func (s set) and(other set) set { return s.not().or(other.not()).not() }

// expression writes the set as a class.
func (s set) expression() string {
	switch {
	case len(s) == 0:
		return "(?!)"
	case len(s) == 1 && s[0] == span{0, unicode.MaxRune}:
		return `[\s\S]`
	case len(s) == 1 && s[0].lo == s[0].hi:
		return literal(s[0].lo)
	}
	var b strings.Builder
	b.WriteByte('[')
	for _, each := range s {
		lo, hi := each.lo, each.hi
		if !utf8.ValidRune(lo) {
			lo = 0xE000 // no text has surrogates
		}
		if !utf8.ValidRune(hi) {
			hi = 0xD7FF
		}
		if lo > hi {
			continue
		}
		b.WriteString(literal(lo))
		if lo < hi {
			b.WriteString("-" + literal(hi))
		}
	}
	b.WriteByte(']')
	return b.String()
}

// literal writes a character that stands for itself, in a class and outside of one.
func literal(r rune) string {
	switch {
	case r >= '0' && r <= '9', r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z', r > 0xFFFF:
		return string(r)
	}
	return fmt.Sprintf(`\x{%X}`, r)
}
