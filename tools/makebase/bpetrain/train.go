// Package bpetrain makes the tokenizer of a new model: byte-level BPE (Sennrich et al. 2016, algorithm 1, over bytes as in
// GPT-2), learned from texts.
//
// Words are cut with GPT-2's pattern, and every digit is a word of its own, so that a small model sees numbers digit by
// digit. All 256 bytes are tokens: any text can be encoded. The result is a tokenizer.json for package tokenizer and Hugging
// Face's tokenizers alike, and it is a function of the texts' words and their counts alone.
package bpetrain

import (
	"container/heap"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"parley/model/tokenizer"
)

// Train learns a tokenizer of vocab tokens from texts and returns its tokenizer.json. The special tokens, which are cut out
// of the texts, have the ids from 0, then come the 256 bytes, then one token for each merge. Where the texts have too few
// different words the vocabulary is smaller than asked for.
//
// Of pairs that are equally frequent, the one that is first in the order of bytes (left part, then right part) is merged.
func Train(texts iter.Seq[string], vocab int, special []string) ([]byte, error) {
	l, err := newLearner(vocab, special)
	if err != nil {
		return nil, fmt.Errorf("training a tokenizer: %w", err)
	}
	words, err := l.count(texts)
	if err != nil {
		return nil, fmt.Errorf("training a tokenizer: %w", err)
	}
	l.start(words)
	for len(l.tokens) < vocab && l.merge() {
	}
	return l.file()
}

// A pair is two adjacent tokens, by id.
type pair struct{ left, right int }

// A word is a different word of the texts, as the tokens it has been merged to so far.
type word struct {
	tokens []int
	count  int
}

// learner is the state of training.
type learner struct {
	special int            // how many of tokens are special
	tokens  []string       // by id, in bytes
	ids     map[string]int // of the tokens that are not special
	taken   map[string]bool
	merges  []pair

	words  []word
	counts map[pair]int          // how often each pair stands in the texts
	where  map[pair]map[int]bool // words that may hold it
	queue  queue
}

func newLearner(vocab int, special []string) (*learner, error) {
	if least := 256 + len(special); vocab < least {
		return nil, fmt.Errorf("a vocabulary of %d tokens is too small: %d special tokens and 256 bytes need %d", vocab, len(special), least)
	}
	l := &learner{
		special: len(special), ids: map[string]int{}, taken: map[string]bool{},
		counts: map[pair]int{}, where: map[pair]map[int]bool{},
	}
	for _, s := range special {
		if s == "" || l.taken[s] {
			return nil, errors.New("special tokens must be different and not empty")
		}
		l.taken[s] = true
		l.tokens = append(l.tokens, s)
	}
	for _, b := range byteOrder() {
		if l.taken[tokenizer.ByteToken(b)] {
			return nil, fmt.Errorf("special token %q is also the spelling of a byte", tokenizer.ByteToken(b))
		}
		l.ids[string([]byte{b})] = len(l.tokens)
		l.tokens = append(l.tokens, string([]byte{b}))
	}
	return l, nil
}

// byteOrder returns all bytes in the order of their spelling: that of GPT-2's vocabulary.
func byteOrder() []byte {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	slices.SortFunc(all, func(a, b byte) int {
		return int([]rune(tokenizer.ByteToken(a))[0]) - int([]rune(tokenizer.ByteToken(b))[0])
	})
	return all
}

// count cuts the texts into words, with the very tokenizer that the result will be, less the merges.
func (l *learner) count(texts iter.Seq[string]) (map[string]int, error) {
	data, err := l.file()
	if err != nil {
		return nil, err
	}
	bare, err := tokenizer.Parse(data)
	if err != nil {
		return nil, err
	}
	words := map[string]int{}
	for text := range texts {
		cut, err := bare.Words(text)
		if err != nil {
			return nil, err
		}
		for _, w := range cut {
			words[w]++
		}
	}
	return words, nil
}

// start counts the pairs of all words.
func (l *learner) start(words map[string]int) {
	for _, text := range slices.Sorted(maps.Keys(words)) {
		w := word{count: words[text]}
		for i := range len(text) {
			w.tokens = append(w.tokens, l.ids[text[i:i+1]])
		}
		l.words = append(l.words, w)
		l.add(len(l.words)-1, +1, map[pair]bool{})
	}
	l.queue.less = l.before
	for p, n := range l.counts {
		l.queue.all = append(l.queue.all, candidate{p, n})
	}
	heap.Init(&l.queue)
}

// add counts the pairs of a word up or down, and notes in changed which they are.
func (l *learner) add(i, sign int, changed map[pair]bool) {
	w := l.words[i]
	for k := range len(w.tokens) - 1 {
		p := pair{w.tokens[k], w.tokens[k+1]}
		l.counts[p] += sign * w.count
		changed[p] = true
		if l.where[p] == nil {
			l.where[p] = map[int]bool{}
		}
		l.where[p][i] = true
	}
}

// merge makes the most frequent pair a token; false where no pair is left.
func (l *learner) merge() bool {
	best, ok := l.best()
	if !ok {
		return false
	}
	joined := l.tokens[best.left] + l.tokens[best.right]
	id, known := l.ids[joined]
	if !known {
		id = len(l.tokens)
		l.ids[joined] = id
		l.tokens = append(l.tokens, joined)
	}
	l.merges = append(l.merges, best)
	changed := map[pair]bool{}
	for i := range l.where[best] {
		l.add(i, -1, changed)
		l.words[i].tokens = replaced(l.words[i].tokens, best, id)
		l.add(i, +1, changed)
	}
	delete(l.where, best)
	for p := range changed {
		if n := l.counts[p]; n > 0 {
			heap.Push(&l.queue, candidate{p, n})
		}
	}
	return true
}

// best takes the most frequent pair from the queue, passing over counts that have changed since.
func (l *learner) best() (pair, bool) {
	for len(l.queue.all) > 0 {
		c := heap.Pop(&l.queue).(candidate)
		if c.count == l.counts[c.pair] && !l.taken[spell(l.tokens[c.pair.left]+l.tokens[c.pair.right])] {
			return c.pair, true
		}
	}
	return pair{}, false
}

// replaced returns tokens with each occurrence of p, from the left, replaced by id.
func replaced(tokens []int, p pair, id int) []int {
	out := tokens[:0]
	for i := 0; i < len(tokens); i++ {
		if i+1 < len(tokens) && tokens[i] == p.left && tokens[i+1] == p.right {
			out = append(out, id)
			i++
		} else {
			out = append(out, tokens[i])
		}
	}
	return out
}

// candidate is a pair with its count at the time it entered the queue.
type candidate struct {
	pair
	count int
}

// before is the order in which candidates are merged.
func (l *learner) before(a, b candidate) bool {
	if a.count != b.count {
		return a.count > b.count
	}
	if left, other := l.tokens[a.left], l.tokens[b.left]; left != other {
		return left < other
	}
	return l.tokens[a.right] < l.tokens[b.right]
}

// queue is a heap of candidates.
type queue struct {
	all  []candidate
	less func(a, b candidate) bool
}

func (q *queue) Len() int           { return len(q.all) }
func (q *queue) Less(i, j int) bool { return q.less(q.all[i], q.all[j]) }
func (q *queue) Swap(i, j int)      { q.all[i], q.all[j] = q.all[j], q.all[i] }
func (q *queue) Push(x any)         { q.all = append(q.all, x.(candidate)) }
func (q *queue) Pop() any {
	last := q.all[len(q.all)-1]
	q.all = q.all[:len(q.all)-1]
	return last
}
