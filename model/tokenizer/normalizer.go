package tokenizer

import (
	"strings"
	"unicode"
)

// A normalizer rewrites a text before it is cut into words. What it writes is charged to the budget. Once the budget is spent, its result is
// not used.
type normalizer interface {
	normalize(s string, b *budget) string
}

// normalizers apply one after another.
type normalizers []normalizer

func (n normalizers) normalize(s string, b *budget) string {
	for _, each := range n {
		if s = each.normalize(s, b); !b.write("normalizer", len(s)) {
			return ""
		}
	}
	return s
}

// lowercase maps each character to its lower case; İ (U+0130) alone becomes two.
type lowercase struct{}

func (lowercase) normalize(s string, _ *budget) string {
	return strings.ReplaceAll(strings.Map(lower, s), "İ", "i̇")
}

func lower(r rune) rune {
	if r == 'İ' {
		return r
	}
	for _, m := range newLower {
		if r >= m.lo && r <= m.hi {
			return r + m.delta
		}
	}
	return unicode.ToLower(r)
}

// prepend puts Prepend before a text that is not empty.
type prepend struct {
	Prepend string `json:"prepend"`
}

func (p *prepend) normalize(s string, b *budget) string {
	if s == "" || !b.write("normalizer Prepend", len(p.Prepend)+len(s)) {
		return s
	}
	return p.Prepend + s
}

// replace puts Content in the place of every match.
type replace struct {
	Pattern pattern `json:"pattern"`
	Content string  `json:"content"`
}

func (r *replace) normalize(s string, b *budget) string { return r.Pattern.replace(s, r.Content, b) }

// strip takes white space from the ends.
type strip struct {
	Left  bool `json:"strip_left"`
	Right bool `json:"strip_right"`
}

func (n *strip) normalize(s string, _ *budget) string {
	if n.Left {
		s = s[leadingSpace(s):]
	}
	if n.Right {
		s = trimSpaceRight(s)
	}
	return s
}

// stripAccents takes away combining marks. Text must be decomposed (NFD, NFKD) before.
type stripAccents struct{}

func (stripAccents) normalize(s string, _ *budget) string { return without(s, isAccent) }

func isAccent(r rune) bool {
	return unicode.IsMark(r) && !unicode.Is(lateAccents, r) || unicode.Is(earlyAccents, r)
}

// without returns s without the characters that drop says.
func without(s string, drop func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		if drop(r) {
			return -1
		}
		return r
	}, s)
}

// nmt cleans up control characters as the NMT systems of SentencePiece's makers do: some go, some become spaces.
type nmt struct{}

func (nmt) normalize(s string, _ *budget) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 1 && r <= 8, r == 0xB, r >= 0xE && r <= 0x1F, r == 0x7F, r == 0x8F, r == 0x9F:
			return -1
		case r == '\t', r == '\n', r == '\f', r == '\r', r == 0x1680, r >= 0x200B && r <= 0x200F, r == 0x2028, r == 0x2029,
			r == 0x2581, r == 0xFEFF, r == 0xFFFD:
			return ' '
		}
		return r
	}, s)
}
