package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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

func (m *metaspace) stage(next emit, b *budget) emit {
	cut := next
	if m.split {
		find := func(s string, segs []segment, _ *budget) []segment { return findLiteral(m.replacement, s, segs) }
		cut = (&splitter{find: find, behavior: mergedWithNext}).stage(next, b)
	}
	return func(p piece) {
		if !b.write("pre-tokenizer Metaspace", len(p.text)+strings.Count(p.text, " ")*len(m.replacement)) {
			return
		}
		p = p.rewritten(func(s string) string { return strings.ReplaceAll(s, " ", m.replacement) })
		if m.prepends(p) && !strings.HasPrefix(p.text, m.replacement) {
			p = p.prefixed(m.replacement)
		}
		cut(p)
	}
}

func (m *metaspace) prepends(p piece) bool {
	return m.scheme == prependAlways || m.scheme == prependFirst && p.lead > 0
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

// asksStart reports whether a Metaspace puts its replacement only where the text begins. Behind other pre-tokenizers that is any piece that was made
// of the first character of the text, which cannot be told where a normalizer joins characters: that is an error.
func asksStart(p preTokenizer, n normalizer) (bool, error) {
	all, ok := p.(preTokenizers)
	if !ok {
		all = preTokenizers{p}
	}
	at := slices.IndexFunc(all, func(p preTokenizer) bool {
		m, ok := p.(*metaspace)
		return ok && m.scheme == prependFirst
	})
	steps, ok := n.(normalizers)
	if !ok {
		steps = normalizers{n}
	}
	joins := slices.ContainsFunc(steps, func(n normalizer) bool {
		_, prepends := n.(*prepend)
		r, ok := n.(*replace)
		return prepends || ok && utf8.RuneCountInString(r.Pattern.literal) != 1
	})
	if at > 0 && joins {
		return true, errors.New(`Metaspace with prepend_scheme "first" behind another pre-tokenizer, and a normalizer Prepend, or Replace of several characters: this is not supported`)
	}
	return at >= 0, nil
}
