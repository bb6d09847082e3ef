package tokenizer

import "unicode"

// findWords finds the matches of \w+|[^\w\s]+.
func findWords(s string, segs []segment, _ *budget) []segment {
	const none = -1
	kindOf := func(r rune) int {
		switch {
		case isWord(r):
			return 1
		case unicode.IsSpace(r):
			return 0
		}
		return 2
	}
	start, kind := 0, none
	for i, r := range s {
		if k := kindOf(r); k != kind {
			if kind != none {
				segs = append(segs, segment{start, i, kind != 0})
			}
			start, kind = i, k
		}
	}
	if kind != none {
		segs = append(segs, segment{start, len(s), kind != 0})
	}
	return segs
}

// fixedLength cuts a text into pieces of Length characters.
type fixedLength struct {
	Length int `json:"length"`
}

func (f *fixedLength) stage(next emit, _ *budget) emit {
	return func(p piece) {
		start, n := 0, 0
		for i := range p.text {
			if n == f.Length {
				next(p.part(start, i))
				start, n = i, 0
			}
			n++
		}
		next(p.part(start, len(p.text)))
	}
}

// scriptSplit cuts where the script of the characters changes. Spaces belong to any script (at the start of a piece they are
// left out, as the reference does), Japanese kana count as Han.
type scriptSplit struct{}

func (scriptSplit) stage(next emit, _ *budget) emit {
	return func(p piece) {
		start, last := len(p.text), ""
		for i, r := range p.text {
			script := scriptOf(r)
			if script == anyScript || script == last {
				continue
			}
			if start < i {
				next(p.part(start, i))
			}
			start, last = i, script
		}
		if start < len(p.text) {
			next(p.part(start, len(p.text)))
		}
	}
}

// anyScript is the script of a space, and of characters without one.
const anyScript = "Any"

func scriptOf(r rune) string {
	if r == ' ' {
		return anyScript
	}
	if r == 'ー' {
		return "Han"
	}
	for name, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			if name == "Hiragana" || name == "Katakana" {
				return "Han"
			}
			return name
		}
	}
	return anyScript
}
