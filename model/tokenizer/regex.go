package tokenizer

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"parley/model/tokenizer/oniguruma"
)

// A pattern is what a Split or Replace looks for: a string, or a regular expression in Oniguruma's syntax.
type pattern struct {
	literal string
	re      *oniguruma.Regexp // nil: literal
	scan    scanner           // of a known expression, nil: none
	expr    string            // that is not known to match a string only
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

// empty reports whether the pattern is the empty string.
func (p *pattern) empty() bool { return p.literal == "" && p.re == nil && p.scan == nil }

func (p *pattern) compile(expr string) error {
	if regexp.QuoteMeta(expr) == expr && expr != "" {
		p.literal = expr
		return nil
	}
	p.expr = expr
	if p.scan = scanners[expr]; p.scan != nil {
		return nil
	}
	re, err := oniguruma.Compile(expr)
	p.re = re
	return err
}

// find appends the segments of s.
func (p *pattern) find(s string, segs []segment, b *budget) []segment {
	switch {
	case p.scan != nil:
		return findScanned(p.scan)(s, segs, b)
	case p.re != nil:
		return findRegexp(p.re, s, segs, b)
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

// findRegexp finds the matches of re. A search that does not end in time spends the budget.
func findRegexp(re *oniguruma.Regexp, s string, segs []segment, b *budget) []segment {
	done := 0
	err := re.Find(s, b.deadline(), func(start, end int) {
		if done < start {
			segs = append(segs, segment{done, start, false})
		}
		segs = append(segs, segment{start, end, true})
		done = end
	})
	if err != nil {
		b.fail("pattern", err)
	}
	if done < len(s) {
		segs = append(segs, segment{done, len(s), false})
	}
	return segs
}

// replace returns s with every match replaced by with.
func (p *pattern) replace(s, with string, b *budget) string {
	if p.scan == nil && p.re == nil {
		if !b.write("Replace", len(s)+strings.Count(s, p.literal)*(len(with)-len(p.literal))) {
			return ""
		}
		return strings.ReplaceAll(s, p.literal, with)
	}
	segs := p.find(s, nil, b)
	n := len(s)
	for _, seg := range segs {
		if seg.match {
			n += len(with) - (seg.end - seg.start)
		}
	}
	if b.err != nil || !b.write("Replace", n) {
		return ""
	}
	var out strings.Builder
	out.Grow(n)
	for _, seg := range segs {
		if seg.match {
			out.WriteString(with)
		} else {
			out.WriteString(s[seg.start:seg.end])
		}
	}
	return out.String()
}
