package tokenizer

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// metaspace spells spaces as a visible character (▁) and cuts before each.
type metaspace struct {
	replacement string
	scheme      prependScheme
	split       bool
}

// A prependScheme says where a replacement is put before a piece that does not begin with one.
type prependScheme string

const (
	prependAlways prependScheme = "always"
	prependFirst  prependScheme = "first" // only where the text begins
	prependNever  prependScheme = "never"
)

// parseMetaspace reads a Metaspace, of the present form or of the older one with add_prefix_space.
func parseMetaspace(raw json.RawMessage) (*metaspace, error) {
	c := struct {
		Replacement    string
		AddPrefixSpace *bool         `json:"add_prefix_space"`
		PrependScheme  prependScheme `json:"prepend_scheme"`
		Split          *bool
	}{Replacement: "▁"}
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, fmt.Errorf("Metaspace: %w", err)
	}
	m := &metaspace{replacement: c.Replacement, scheme: c.PrependScheme, split: c.Split == nil || *c.Split}
	if m.scheme == "" {
		m.scheme = prependAlways
	}
	if c.AddPrefixSpace != nil && !*c.AddPrefixSpace {
		if c.PrependScheme != "" && c.PrependScheme != prependNever {
			return nil, fmt.Errorf("Metaspace: add_prefix_space is false, prepend_scheme %q", c.PrependScheme)
		}
		m.scheme = prependNever
	}
	return m, m.check()
}

func (m *metaspace) check() error {
	if _, n := utf8.DecodeRuneInString(m.replacement); n == 0 || n != len(m.replacement) {
		return fmt.Errorf("Metaspace: replacement %q is not one character", m.replacement)
	}
	switch m.scheme {
	case prependAlways, prependFirst, prependNever:
		return nil
	}
	return fmt.Errorf("Metaspace: prepend_scheme %q is not known", m.scheme)
}

func (m *metaspace) stage(next emit) emit {
	cut := next
	if m.split {
		find := func(s string, segs []segment) []segment { return findLiteral(m.replacement, s, segs) }
		cut = (&splitter{find: find, behavior: mergedWithNext}).stage(next)
	}
	return func(p piece) {
		p.text = strings.ReplaceAll(p.text, " ", m.replacement)
		if m.prepends(p) && !strings.HasPrefix(p.text, m.replacement) {
			p.text = m.replacement + p.text
		}
		cut(p)
	}
}

func (m *metaspace) prepends(p piece) bool {
	return m.scheme == prependAlways || m.scheme == prependFirst && p.first
}

// decode turns replacements into spaces, and drops those of the first token if encoding may have put one there.
func (m *metaspace) decode(tokens []string) []string {
	return eachToken(tokens, func(i int, t string) string {
		if i == 0 && m.scheme != prependNever {
			return strings.ReplaceAll(t, m.replacement, "")
		}
		return strings.ReplaceAll(t, m.replacement, " ")
	})
}
