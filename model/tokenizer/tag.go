package tokenizer

import "strings"

// Tags follow characters of a text through what a program does to it: some are replaced by characters for private use that stand for them, one for
// one, and are put back in what comes out. [Tags.Find] then says where they are.
//
// They tell where the characters went if the program treats a tag as it treats the character. Whether it did can be seen: what comes out, put back,
// is what comes out without tags.
type Tags struct {
	used map[rune]bool // by the texts, or as tags
	next rune
	of   map[rune]rune // tag → character
	tags map[rune]rune // character → tag
}

// The planes for private use.
const first, last = 0xF0000, 0x10FFFD

// TagsFor returns tags none of which is in the texts.
func TagsFor(texts ...string) *Tags {
	s := &Tags{used: map[rune]bool{}, next: first, of: map[rune]rune{}, tags: map[rune]rune{}}
	for _, text := range texts {
		for _, r := range text {
			if r >= first {
				s.used[r] = true
			}
		}
	}
	return s
}

// Of returns the tag of a character. Where there are no more tags it is U+FFFD, which stands for nothing: what comes out then differs.
func (s *Tags) Of(r rune) rune {
	if t, ok := s.tags[r]; ok {
		return t
	}
	for s.used[s.next] || s.next&0xFFFE == 0xFFFE { // the last two of a plane are no characters
		s.next++
	}
	if s.next > last {
		return '\uFFFD'
	}
	s.tags[r], s.of[s.next] = s.next, r
	s.next++
	return s.tags[r]
}

// Put tags the characters of a text that which says, by the bytes at which they begin.
func (s *Tags) Put(text string, which func(at int, r rune) bool) string {
	var out strings.Builder
	for i, r := range text {
		if which(i, r) {
			r = s.Of(r)
		}
		out.WriteRune(r)
	}
	return out.String()
}

// Find puts back the characters that tags stand for, and returns the bytes at which these begin, ascending.
func (s *Tags) Find(text string) (string, []int) {
	var out strings.Builder
	var at []int
	for _, r := range text {
		if was, ok := s.of[r]; ok {
			r, at = was, append(at, out.Len())
		}
		out.WriteRune(r)
	}
	return out.String(), at
}
