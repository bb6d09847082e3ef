package tokenizer

import (
	"strings"
	"unicode/utf8"
)

// A piece is a part of the text on its way to the model.
type piece struct {
	text string // not empty
	// lead is how many bytes of it were made of the first character of the whole text: more than none where the piece counts as its beginning.
	lead int
}

// part returns p.text[i:j] as a piece.
func (p piece) part(i, j int) piece { return piece{p.text[i:j], p.lead - i} }

// rewritten is the piece with another text, of which each character is rewritten by itself.
func (p piece) rewritten(rewrite func(string) string) piece {
	lead := p.lead
	if 0 < lead && lead < len(p.text) {
		lead = len(rewrite(p.text[:lead]))
	}
	text := rewrite(p.text)
	if lead >= len(p.text) {
		lead = len(text)
	}
	return piece{text, lead}
}

// prefixed is the piece with something before it, which counts as made of its first character.
func (p piece) prefixed(prefix string) piece {
	if p.lead > 0 {
		p.lead += len(prefix)
	}
	p.text = prefix + p.text
	return p
}

// lead is how many bytes of a normalized text were made of the first character of the text: it may have become several characters, or none.
func (t *Tokenizer) lead(text, normalized string, b *budget) int {
	_, n := utf8.DecodeRuneInString(text)
	if t.normalizer == nil || !t.asksStart {
		return n
	}
	// What a letter behind it becomes tells whether the character goes because it stands at the end alone.
	letter := t.normalizer.normalize("a", b)
	if alone, ok := strings.CutSuffix(t.normalizer.normalize(text[:n]+"a", b), letter); ok && strings.HasPrefix(normalized, alone) {
		return len(alone)
	}
	if alone := t.normalizer.normalize(text[:n], b); strings.HasPrefix(normalized, alone) {
		return len(alone)
	}
	_, n = utf8.DecodeRuneInString(normalized)
	return n
}

// emit takes the next piece. Pieces come in the order of the text.
type emit func(piece)

// A preTokenizer cuts pieces into smaller ones. It is a stage of a pipeline: stage returns the function that takes a piece and hands
// its parts, all that are not empty, to next. What it writes is charged to the budget. Once the budget is spent, no more pieces come.
type preTokenizer interface {
	stage(next emit, b *budget) emit
}

// preTokenizers is a pipeline of several.
type preTokenizers []preTokenizer

func (s preTokenizers) stage(next emit, b *budget) emit {
	for i := len(s) - 1; i >= 0; i-- {
		next = s[i].stage(next, b)
	}
	return next
}
