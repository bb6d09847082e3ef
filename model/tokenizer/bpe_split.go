package tokenizer

import "unicode/utf8"

// splitBytes sets w.symbols to the ids of the bytes of word.
func (m *bpe) splitBytes(word string, w *worker) {
	pending := false // an unknown token is due
	for i := range len(word) {
		id := m.bytes[word[i]]
		if id < 0 {
			m.addUnknown(w, &pending)
			continue
		}
		m.flushUnknown(w, &pending)
		w.symbols = append(w.symbols, id)
	}
	m.flushUnknown(w, &pending)
}

// splitCharacters sets w.symbols to the ids of the characters of word.
func (m *bpe) splitCharacters(word string, w *worker) {
	pending := false
	for i, r := range word {
		end := i + utf8.RuneLen(r)
		id := m.character(r, i == 0, end == len(word))
		if id >= 0 {
			m.flushUnknown(w, &pending)
			w.symbols = append(w.symbols, id)
		} else if !m.byteFallback || !m.fallBack(word[i:end], w) {
			m.addUnknown(w, &pending)
		}
	}
	m.flushUnknown(w, &pending)
}

// character returns the id of r at its place in a word; -1: unknown.
func (m *bpe) character(r rune, first, last bool) int32 {
	before, after := "", ""
	if !first {
		before = m.prefix
	}
	if last {
		after = m.suffix
	}
	if before != "" || after != "" {
		return m.idOrNone(before + string(r) + after)
	}
	if id, ok := m.characters[r]; ok {
		return id
	}
	return -1
}

// fallBack appends the tokens of the bytes of a character, if there are tokens for all of them.
func (m *bpe) fallBack(character string, w *worker) bool {
	for i := range len(character) {
		if m.fallback[character[i]] < 0 {
			return false
		}
	}
	for i := range len(character) {
		w.symbols = append(w.symbols, m.fallback[character[i]])
	}
	return true
}

// addUnknown notes an unknown character. The token for it is appended when a known one follows, so that runs can be fused.
func (m *bpe) addUnknown(w *worker, pending *bool) {
	if m.unknown < 0 {
		return
	}
	if *pending && !m.fuseUnknown {
		w.symbols = append(w.symbols, int32(m.unknown))
	}
	*pending = true
}

func (m *bpe) flushUnknown(w *worker, pending *bool) {
	if *pending {
		w.symbols = append(w.symbols, int32(m.unknown))
		*pending = false
	}
}
