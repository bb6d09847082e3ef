package tokenizer

import (
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"
)

// A segment is a part of a text that either matches a pattern or lies between matches. The segments of a text cover it.
type segment struct {
	start, end int
	match      bool
}

// A finder appends the segments of s to segs. A finder that cannot end its search spends the budget.
type finder func(s string, segs []segment, b *budget) []segment

// A behavior says what becomes of the matches when a text is split.
type behavior string

const (
	removed            behavior = "Removed"
	isolated           behavior = "Isolated"
	mergedWithPrevious behavior = "MergedWithPrevious"
	mergedWithNext     behavior = "MergedWithNext"
	contiguous         behavior = "Contiguous"
)

func (b behavior) check() error {
	switch b {
	case removed, isolated, mergedWithPrevious, mergedWithNext, contiguous:
		return nil
	}
	return fmt.Errorf("split behavior %q is not known", string(b))
}

// apply turns segments into pieces, in place.
func (b behavior) apply(segs []segment) []segment {
	switch b {
	case removed:
		return slices.DeleteFunc(segs, func(s segment) bool { return s.match })
	case mergedWithPrevious:
		return joinSegments(segs, func(s segment, previous bool) bool { return s.match && !previous })
	case contiguous:
		return joinSegments(segs, func(s segment, previous bool) bool { return s.match == previous })
	case mergedWithNext:
		return joinNext(segs)
	}
	return segs
}

// joinSegments joins a segment with the one before it where join says so; previous is whether that one was a match.
func joinSegments(segs []segment, join func(s segment, previous bool) bool) []segment {
	out, previous := segs[:0], false
	for _, s := range segs {
		if join(s, previous) && len(out) > 0 {
			out[len(out)-1].end = s.end
		} else {
			out = append(out, s)
		}
		previous = s.match
	}
	return out
}

// joinNext joins each match with what follows it; of several matches in a row only the last is joined.
func joinNext(segs []segment) []segment {
	out := segs[:0]
	for i := 0; i < len(segs); i++ {
		s := segs[i]
		if s.match && i+1 < len(segs) && !segs[i+1].match {
			i++
			s.end = segs[i].end
		}
		out = append(out, s)
	}
	return out
}

// splitter cuts a text at the matches of a pattern.
type splitter struct {
	find     finder
	behavior behavior
	invert   bool // what lies between the matches counts as match
}

func (s *splitter) stage(next emit, b *budget) emit {
	var segs []segment
	return func(p piece) {
		if segs = s.find(p.text, segs[:0], b); b.err != nil {
			return
		}
		if s.invert {
			for i := range segs {
				segs[i].match = !segs[i].match
			}
		}
		for _, c := range s.behavior.apply(segs) {
			if c.start < c.end {
				next(p.part(c.start, c.end))
			}
		}
	}
}

// scanned is a splitter's fast form for a known pattern whose matches are isolated.
type scanned struct{ scan scanner }

func (s scanned) stage(next emit, _ *budget) emit { return scanStage(s.scan, next) }

// findRunes finds each character that is says, as a match of its own.
func findRunes(is func(rune) bool) finder {
	return func(s string, segs []segment, _ *budget) []segment {
		done := 0
		for i, r := range s {
			if !is(r) {
				continue
			}
			if done < i {
				segs = append(segs, segment{done, i, false})
			}
			done = i + utf8.RuneLen(r)
			segs = append(segs, segment{i, done, true})
		}
		if done < len(s) {
			segs = append(segs, segment{done, len(s), false})
		}
		return segs
	}
}

// findScanned finds the matches of a scanner.
func findScanned(scan scanner) finder {
	return func(s string, segs []segment, _ *budget) []segment {
		table, done := classes(), 0
		for i := 0; i < len(s); {
			n := scan(table, s[i:])
			if n == 0 {
				_, n = classOf(table, s[i:])
				i += n
				continue
			}
			if done < i {
				segs = append(segs, segment{done, i, false})
			}
			segs = append(segs, segment{i, i + n, true})
			i += n
			done = i
		}
		if done < len(s) {
			segs = append(segs, segment{done, len(s), false})
		}
		return segs
	}
}

// isPunctuation is what BERT and the Punctuation pre-tokenizer take for punctuation: Unicode's class P and all of ASCII's.
func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r < 0x7F && !isASCIILetter(byte(r)) && (r < '0' || r > '9')
	}
	return unicode.IsPunct(r) && !unicode.Is(latePunct, r) || unicode.Is(earlyPunct, r)
}
