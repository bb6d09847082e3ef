package tokenizer

import (
	"unicode"
	"unicode/utf8"
)

// A matcher finds tokens in a text: leftmost first, and of those that begin at one place the longest.
type matcher struct {
	nodes []matchNode // a trie over bytes; node 0 is the root
	found []match
	first [256]bool // bytes that begin a token
}

type matchNode struct {
	next  map[byte]int32
	match int32 // index+1 into found of the token that ends here, 0: none
}

type match struct {
	id    int
	token Token
}

// add puts a token with its spelling in the text into the trie; of two with one spelling the first is found.
func (m *matcher) add(key string, id int, t Token) {
	if key == "" {
		return
	}
	if len(m.nodes) == 0 {
		m.nodes = append(m.nodes, matchNode{})
	}
	m.first[key[0]] = true
	at := int32(0)
	for i := range len(key) {
		if m.nodes[at].next == nil {
			m.nodes[at].next = map[byte]int32{}
		}
		to, ok := m.nodes[at].next[key[i]]
		if !ok {
			to = int32(len(m.nodes))
			m.nodes = append(m.nodes, matchNode{})
			m.nodes[at].next[key[i]] = to
		}
		at = to
	}
	if m.nodes[at].match == 0 {
		m.found = append(m.found, match{id, t})
		m.nodes[at].match = int32(len(m.found))
	}
}

// An allowing says whether a token may be found in a place of the text; nil: every one may, everywhere.
type allowing func(t *match, start, end int) bool

// longest returns the longest token at a place of text that may be found there, and its length; 0 where there is none.
func (m *matcher) longest(text string, from int, allowed allowing) (found *match, n int) {
	at, s := int32(0), text[from:]
	for i := range len(s) {
		to, ok := m.nodes[at].next[s[i]]
		if !ok {
			break
		}
		at = to
		if k := m.nodes[at].match; k != 0 && (allowed == nil || allowed(&m.found[k-1], from, from+i+1)) {
			found, n = &m.found[k-1], i+1
		}
	}
	return found, n
}

// split calls token with the id of each token in s and rest with the bounds of each non-empty part between, in order.
func (m *matcher) split(s string, allowed allowing, token func(id int), rest func(start, end int)) {
	done := 0 // s[:done] is dealt with
	for i := 0; i < len(s) && len(m.nodes) > 0; {
		if !m.first[s[i]] {
			i++
			continue
		}
		found, n := m.longest(s, i, allowed)
		if n == 0 {
			i++
			continue
		}
		start, end := i, i+n
		i = end
		if found.token.SingleWord && (endsInWord(s[:start]) || beginsWithWord(s[end:])) {
			continue
		}
		if found.token.LStrip {
			start = max(done, len(trimSpaceRight(s[:start])))
		}
		if found.token.RStrip {
			end += leadingSpace(s[end:])
		}
		if done < start {
			rest(done, start)
		}
		token(found.id)
		done = end
	}
	if done < len(s) {
		rest(done, len(s))
	}
}

func endsInWord(s string) bool {
	r, n := utf8.DecodeLastRuneInString(s)
	return n > 0 && isWord(r)
}

func beginsWithWord(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return n > 0 && isWord(r)
}

// isWord is the class \w of Unicode's regular expressions (UTS 18, annex C).
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return isASCIILetter(byte(r)) || r >= '0' && r <= '9' || r == '_'
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic, unicode.Join_Control,
		newLetters, newMarks, newNumbers)
}

func leadingSpace(s string) int {
	for i, r := range s {
		if !unicode.IsSpace(r) {
			return i
		}
	}
	return len(s)
}

func trimSpaceRight(s string) string {
	for len(s) > 0 {
		r, n := utf8.DecodeLastRuneInString(s)
		if !unicode.IsSpace(r) {
			break
		}
		s = s[:len(s)-n]
	}
	return s
}
