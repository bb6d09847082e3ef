package tokenizer

import "unicode/utf8"

// wordPiece cuts a word greedily: each token is the longest that fits, those after the first carry a prefix (##).
type wordPiece struct {
	vocabulary
	prefix  string
	longest int // words of more characters are unknown
	piece   int // length in bytes of the longest token
	unknown int // -1: unknown words are left out
}

func (m *wordPiece) encode(ids []int, word string, _ *worker) []int {
	if utf8.RuneCountInString(word) > m.longest {
		return m.appendUnknown(ids)
	}
	start := len(ids)
	for at := 0; at < len(word); {
		id, n := m.longestAt(word, at)
		if n == 0 {
			return m.appendUnknown(ids[:start])
		}
		ids = append(ids, id)
		at += n
	}
	return ids
}

// longestAt returns the longest token at a place in a word, and how much of the word it covers; 0: none.
func (m *wordPiece) longestAt(word string, at int) (id, n int) {
	end := len(word)
	if far := at + m.piece; far < end {
		for end = far; end > at && !utf8.RuneStart(word[end]); end-- {
		}
	}
	for end > at {
		key := word[at:end]
		if at > 0 {
			key = m.prefix + key
		}
		if id, ok := m.id(key); ok {
			return id, end - at
		}
		_, last := utf8.DecodeLastRuneInString(word[:end])
		end -= last
	}
	return 0, 0
}

func (m *wordPiece) appendUnknown(ids []int) []int {
	if m.unknown < 0 {
		return ids
	}
	return append(ids, m.unknown)
}

// wordLevel knows whole words only.
type wordLevel struct {
	vocabulary
	unknown int // -1: unknown words are left out
}

func (m *wordLevel) encode(ids []int, word string, _ *worker) []int {
	if id, ok := m.id(word); ok {
		return append(ids, id)
	}
	if m.unknown < 0 {
		return ids
	}
	return append(ids, m.unknown)
}
