package tokenizer

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// places are bytes of a text that are content, ascending: no special token is found across one of them.
type places []int

// allows says which tokens may be found where.
func (p places) allows() allowing {
	if len(p) == 0 {
		return nil
	}
	return func(t *match, start, end int) bool { return !t.token.Special || len(p.within(start, end)) == 0 }
}

// within are the places in text[start:end], counted from start.
func (p places) within(start, end int) places {
	if len(p) == 0 {
		return nil
	}
	lo, _ := slices.BinarySearch(p, start)
	hi, _ := slices.BinarySearch(p, end)
	out := slices.Clone(p[lo:hi])
	for i := range out {
		out[i] -= start
	}
	return out
}

// EncodeContent is [Tokenizer.Encode] of a text, which must be UTF-8, of which some characters are content, those that begin at the given
// bytes, ascending: no special token is made of them. What is written as one becomes ordinary tokens. Other added tokens are recognised
// as ever.
func (t *Tokenizer) EncodeContent(text string, content []int, special bool) ([]int, error) {
	if len(content) == 0 {
		return t.Encode(text, special)
	}
	w := t.workers.get()
	defer t.workers.put(w)
	var ids []int
	parts := plain
	if special {
		parts = t.template
	}
	for _, part := range parts {
		if !part.text {
			ids = append(ids, part.id)
			continue
		}
		if err := t.cut(text, content, func(id int) { ids = append(ids, id) }, func(p piece) { ids = t.encodeWord(ids, p.text, w) }); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// encodeWord appends the ids of a word. Models that have special tokens in their vocabulary may find one in a word that is written like it: the
// word is cut inside of it.
func (t *Tokenizer) encodeWord(ids []int, word string, w *worker) []int {
	n := len(ids)
	ids = t.model.encode(ids, word, w)
	for _, id := range ids[n:] {
		token, _ := t.Token(id)
		if at := strings.Index(word, token); t.added.special[token] && at >= 0 {
			_, first := utf8.DecodeRuneInString(token)
			if first == len(token) {
				continue // a character by itself, which has no other token
			}
			ids = t.encodeWord(ids[:n], word[:at+first], w)
			return t.encodeWord(ids, word[at+first:], w)
		}
	}
	return ids
}

// normalized returns a section of text as the normalizer leaves it, and where its content is then. Where the normalizer joins content with what
// stands beside it, all of the section counts as content.
func (t *Tokenizer) normalized(section string, content places, b *budget) (string, places) {
	if t.normalizer == nil {
		return section, content
	}
	out := t.normalizer.normalize(section, b)
	if !b.write("normalizer", len(out)) {
		return "", nil
	}
	if len(content) == 0 || len(t.added.normalized.nodes) == 0 {
		return out, nil
	}
	tags := TagsFor(section, out)
	marked := tags.Put(section, func(at int, _ rune) bool { _, ok := slices.BinarySearch(content, at); return ok })
	tagged, moved := tags.Find(t.normalizer.normalize(marked, b))
	if tagged != out {
		moved = moved[:0]
		for i := range out {
			moved = append(moved, i)
		}
	}
	return out, moved
}
