package oniguruma

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// Without regard to case a character is any of those that Unicode's case folding takes for the same. For some it takes several characters for
// one: ß and ss, ﬁ and fi. Expressions in which one of these may stand are refused.

// foldsToSeveral are characters that fold to several ones.
var foldsToSeveral = setOf([]span{
	{0xDF, 0xDF},
	{0x130, 0x130},
	{0x149, 0x149},
	{0x1F0, 0x1F0},
	{0x390, 0x390},
	{0x3B0, 0x3B0},
	{0x587, 0x587},
	{0x1E96, 0x1E9A},
	{0x1E9E, 0x1E9E},
	{0x1F50, 0x1F50},
	{0x1F52, 0x1F52},
	{0x1F54, 0x1F54},
	{0x1F56, 0x1F56},
	{0x1F80, 0x1FAF},
	{0x1FB2, 0x1FB4},
	{0x1FB6, 0x1FB7},
	{0x1FBC, 0x1FBC},
	{0x1FC2, 0x1FC4},
	{0x1FC6, 0x1FC7},
	{0x1FCC, 0x1FCC},
	{0x1FD2, 0x1FD3},
	{0x1FD6, 0x1FD7},
	{0x1FE2, 0x1FE4},
	{0x1FE6, 0x1FE7},
	{0x1FF2, 0x1FF4},
	{0x1FF6, 0x1FF7},
	{0x1FFC, 0x1FFC},
	{0xFB00, 0xFB06},
	{0xFB13, 0xFB17},
}...)

// partsOfSeveral are characters that such sequences have beside ASCII's, and the scripts of others.
var partsOfSeveral = setOf(span{0x2BC, 0x2BC}, span{0x2BE, 0x2BE}, span{0x300, 0x3FF}, span{0x531, 0x587}, span{0x1F00, 0x1FFF})

// sequencesOfSeveral are those of ASCII.
var sequencesOfSeveral = []string{"ss", "st", "ff", "fi", "fl"}

// newPairs are letters of one case and the other that Go's tables do not have yet.
var newPairs = map[rune]rune{0x1C89: 0x1C8A, 0xA7CC: 0xA7CD, 0xA7DA: 0xA7DB, 0xA7DC: 0x19B, 0xA7CB: 0x264}

// foldedLiteral writes a character without regard to case.
func (p *parser) foldedLiteral(r rune) string {
	one := setOf(span{r, r})
	if r >= utf8.RuneSelf && len(one.and(foldsToSeveral.or(partsOfSeveral))) > 0 {
		p.failf("%q is not supported without regard to case", r)
	}
	closed := one.folded()
	folded := unicode.ToLower(closed[0].lo)
	if sequence := string([]rune{p.folded, folded}); slices.Contains(sequencesOfSeveral, sequence) {
		p.failf("%q is not supported without regard to case: a single character may stand for it", sequence)
	}
	p.folded = folded
	return closed.expression()
}

// foldedSet is a class without regard to case. Of a negated class it is the set that the class excludes.
func (p *parser) foldedSet(s set, negated bool) set {
	closed := s.folded()
	if !negated && len(closed.and(foldsToSeveral)) > 0 {
		p.failf("a class with a character that folds to several is not supported without regard to case")
	}
	return closed
}

// folded adds all characters that differ from those of s by case only.
func (s set) folded() set {
	var spans []span
	for _, each := range s {
		spans = append(spans, each)
		for r := each.lo; r <= min(each.hi, lastCased); r++ {
			for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
				spans = append(spans, span{other, other})
			}
		}
	}
	out := setOf(spans...)
	for upper, lower := range newPairs {
		if len(out.and(setOf(span{upper, upper}, span{lower, lower}))) > 0 {
			out = out.or(setOf(span{upper, upper}, span{lower, lower}))
		}
	}
	return out
}

// lastCased is the last character that has a case.
const lastCased = 0x1E943
