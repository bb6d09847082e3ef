package tokenizer

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// bpe is byte-pair encoding: a word is first cut into its characters (or bytes), then, again and again, the adjacent pair
// with the lowest rank is joined, the leftmost of equal ones first.
type bpe struct {
	vocabulary
	pairs        pairTable
	prefix       string // goes before every character of a word but the first
	suffix       string // goes after the last character of a word
	unknown      int    // id for characters that are not in the vocabulary; -1: they are left out
	fuseUnknown  bool   // a run of unknown characters is one token
	byteFallback bool   // an unknown character becomes the tokens <0xNN> of its bytes
	ignoreMerges bool   // a word that is in the vocabulary is one token whatever the merges say

	characters map[rune]int32   // ids of single characters, without prefix and suffix
	fallback   [256]int32       // ids of <0xNN>; -1: none
	raw        bool             // words are bytes, not characters of the byte alphabet
	bytes      [256]int32       // raw: ids of single bytes; -1: none
	words      map[string]int32 // raw: ids of whole tokens as bytes, for ignoreMerges
	separable  bool             // no token goes on over the start of a SentencePiece word: they can be merged one by one
}

// bpeConfig is everything in a BPE model beside its vocabulary and merges.
type bpeConfig struct {
	UnkToken     *string  `json:"unk_token"`
	Prefix       *string  `json:"continuing_subword_prefix"`
	Suffix       *string  `json:"end_of_word_suffix"`
	FuseUnk      bool     `json:"fuse_unk"`
	ByteFallback bool     `json:"byte_fallback"`
	IgnoreMerges bool     `json:"ignore_merges"`
	Dropout      *float64 `json:"dropout"`
}

// newBPE builds the model; merges are in order of rank, best first.
func newBPE(c bpeConfig, v vocabulary, merges []mergePair) (*bpe, error) {
	if c.Dropout != nil && *c.Dropout != 0 {
		return nil, fmt.Errorf("BPE model with dropout %g: encoding would be random; write null instead", *c.Dropout)
	}
	m := &bpe{
		vocabulary: v, prefix: orEmpty(c.Prefix), suffix: orEmpty(c.Suffix), unknown: -1,
		fuseUnknown: c.FuseUnk, byteFallback: c.ByteFallback, ignoreMerges: c.IgnoreMerges,
	}
	if c.UnkToken != nil {
		if id, ok := v.id(*c.UnkToken); ok {
			m.unknown = id
		} else if *c.UnkToken != "" {
			return nil, fmt.Errorf("BPE model: unk_token %q is not in the vocabulary", *c.UnkToken)
		}
	}
	if err := m.addMerges(merges); err != nil {
		return nil, err
	}
	m.characters = map[rune]int32{}
	for token, id := range v.ids {
		if r, n := utf8.DecodeRuneInString(token); n == len(token) && n > 0 {
			m.characters[r] = int32(id)
		}
	}
	for b := range m.fallback {
		m.fallback[b] = v.idOrNone(fmt.Sprintf("<0x%02X>", b))
	}
	m.separable = m.canSeparate(merges)
	return m, nil
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// addMerges fills the table of pairs.
func (m *bpe) addMerges(merges []mergePair) error {
	m.pairs = newPairTable(len(merges))
	for rank, pair := range merges {
		left, ok := m.id(pair.left)
		if !ok {
			return fmt.Errorf("BPE merge %d: %q is not in the vocabulary", rank, pair.left)
		}
		right, ok := m.id(pair.right)
		if !ok {
			return fmt.Errorf("BPE merge %d: %q is not in the vocabulary", rank, pair.right)
		}
		if len(pair.right) < len(m.prefix) {
			return fmt.Errorf("BPE merge %d: %q is shorter than the prefix %q", rank, pair.right, m.prefix)
		}
		joined := pair.left + pair.right[len(m.prefix):]
		id, ok := m.id(joined)
		if !ok {
			return fmt.Errorf("BPE merge %d: %q is not in the vocabulary", rank, joined)
		}
		m.pairs.put(int32(left), int32(right), int32(rank), int32(id))
	}
	return nil
}

// useBytes switches to words that are bytes of the text, as the last pre-tokenizer is ByteLevel. It reports whether the
// model can: characters must not be rewritten further.
func (m *bpe) useBytes() bool {
	if m.prefix != "" || m.suffix != "" || m.byteFallback {
		return false
	}
	m.raw = true
	for b := range m.bytes {
		m.bytes[b] = m.idOrNone(string(byteChar[b]))
	}
	if !m.ignoreMerges {
		return true
	}
	m.words = make(map[string]int32, len(m.ids))
	for token, id := range m.ids {
		if word, ok := fromByteChars(nil, token); ok {
			m.words[string(word)] = int32(id)
		}
	}
	return true
}

// canSeparate reports whether no merge joins a character and a ▁ after it. SentencePiece models have no pre-tokenizer: the
// word is the whole text, but then it can be cut before each run of ▁.
func (m *bpe) canSeparate(merges []mergePair) bool {
	if _, ok := m.id(sentencePieceSpace); !ok || m.prefix != "" || m.suffix != "" || m.ignoreMerges {
		return false
	}
	for _, pair := range merges {
		token := strings.TrimLeft(pair.left+pair.right, sentencePieceSpace)
		if strings.Contains(token, sentencePieceSpace) {
			return false
		}
	}
	return true
}

// encode appends the ids of word.
func (m *bpe) encode(ids []int, word string, w *worker) []int {
	for m.separable && len(word) > longestCached {
		spaces := len(word) - len(strings.TrimLeft(word, sentencePieceSpace))
		n := strings.Index(word[spaces:], sentencePieceSpace)
		if n < 0 {
			break
		}
		ids = m.encodeWord(ids, word[:spaces+n], w)
		word = word[spaces+n:]
	}
	return m.encodeWord(ids, word, w)
}

// encodeWord appends the ids of a word that is merged as a whole, remembering those of short ones.
func (m *bpe) encodeWord(ids []int, word string, w *worker) []int {
	if known, ok := w.words.recall(ids, word); ok {
		return known
	}
	start := len(ids)
	ids = m.merge(ids, word, w)
	w.words.remember(word, ids[start:])
	return ids
}

// merge appends the ids of word.
func (m *bpe) merge(ids []int, word string, w *worker) []int {
	if m.ignoreMerges {
		if id, ok := m.wholeWord(word); ok {
			return append(ids, id)
		}
	}
	w.symbols = w.symbols[:0]
	if m.raw {
		m.splitBytes(word, w)
	} else {
		m.splitCharacters(word, w)
	}
	for _, s := range m.pairs.mergeAll(w.symbols, w) {
		ids = append(ids, int(s))
	}
	return ids
}

func (m *bpe) wholeWord(word string) (int, bool) {
	if m.raw {
		id, ok := m.words[word]
		return int(id), ok
	}
	return m.id(word)
}
