package tokenizer

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

// matchTimeout bounds one search of a regular expression: a hostile pattern may need exponential time.
const matchTimeout = 10 * time.Second

// A pattern is what a Split or Replace looks for: a string, or a regular expression in Oniguruma's syntax.
type pattern struct {
	literal string
	re      *regexp2.Regexp // nil: literal
	scan    scanner         // of a known expression, nil: none
}

// UnmarshalJSON reads {"String": ...} or {"Regex": ...}.
func (p *pattern) UnmarshalJSON(data []byte) error {
	var raw struct{ String, Regex *string }
	if err := json.Unmarshal(data, &raw); err != nil {
		return fmt.Errorf("pattern: %w", err)
	}
	switch {
	case raw.Regex != nil:
		return p.compile(*raw.Regex)
	case raw.String != nil:
		p.literal = *raw.String
		return nil
	}
	return fmt.Errorf("pattern %.80s: want String or Regex", data)
}

func (p *pattern) compile(expr string) error {
	if p.scan = scanners[expr]; p.scan != nil {
		return nil
	}
	translated, err := fromOniguruma(expr)
	if err != nil {
		return fmt.Errorf("pattern %.80q: %w", expr, err)
	}
	re, err := regexp2.Compile(translated, regexp2.None)
	if err != nil {
		return fmt.Errorf("pattern %.80q: %w", expr, err)
	}
	re.MatchTimeout = matchTimeout
	p.re = re
	return nil
}

// find appends the segments of s.
func (p *pattern) find(s string, segs []segment) []segment {
	switch {
	case p.scan != nil:
		return findScanned(p.scan)(s, segs)
	case p.re != nil:
		return findRegexp(p.re, s, segs)
	}
	return findLiteral(p.literal, s, segs)
}

// findLiteral finds the occurrences of a string.
func findLiteral(literal, s string, segs []segment) []segment {
	done := 0
	for literal != "" {
		i := strings.Index(s[done:], literal)
		if i < 0 {
			break
		}
		if i > 0 {
			segs = append(segs, segment{done, done + i, false})
		}
		done += i + len(literal)
		segs = append(segs, segment{done - len(literal), done, true})
	}
	if done < len(s) {
		segs = append(segs, segment{done, len(s), false})
	}
	return segs
}

// findRegexp finds the matches of re. A search that runs out of time finds nothing more.
func findRegexp(re *regexp2.Regexp, s string, segs []segment) []segment {
	done, at, runeAt := 0, 0, 0 // bytes dealt with; a place in bytes and the same in characters
	advance := func(to int) int {
		for ; runeAt < to; runeAt++ {
			_, n := utf8.DecodeRuneInString(s[at:])
			at += n
		}
		return at
	}
	_ = re.FindRunesMatches([]rune(s), 0, func(m regexp2.MatchView) bool {
		index, length, _ := m.GroupRange(0)
		start := advance(index)
		end := advance(index + length)
		if done < start {
			segs = append(segs, segment{done, start, false})
		}
		segs = append(segs, segment{start, end, true})
		done = end
		return true
	})
	if done < len(s) {
		segs = append(segs, segment{done, len(s), false})
	}
	return segs
}

// replace returns s with every match replaced by with.
func (p *pattern) replace(s, with string) string {
	if p.re == nil && p.scan == nil {
		if p.literal == "" {
			return s
		}
		return strings.ReplaceAll(s, p.literal, with)
	}
	var b strings.Builder
	for _, seg := range p.find(s, nil) {
		if seg.match {
			b.WriteString(with)
		} else {
			b.WriteString(s[seg.start:seg.end])
		}
	}
	return b.String()
}
