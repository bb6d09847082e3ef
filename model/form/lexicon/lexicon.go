// Package lexicon says which tokens may follow in texts of a form (package form).
package lexicon

import (
	"container/list"
	"encoding/json"
	"fmt"
	"math"

	"parley/model/form"
)

// A Set is a set of tokens.
type Set struct {
	bits []uint64
	most int // the largest Shortest behind one of them
}

// Words are its bits: token id is bit id%64 of word id/64. They must not be changed.
func (s *Set) Words() []uint64 { return s.bits }

// Has says whether a token is in the set.
func (s *Set) Has(id int) bool {
	return id >= 0 && id/64 < len(s.bits) && s.bits[id/64]&(1<<(id%64)) != 0
}

func (s *Set) add(id int, behind *form.State) {
	s.bits[id/64] |= 1 << (id % 64)
	s.most = max(s.most, behind.Shortest())
}

// Most sets and forms that a lexicon keeps; of more, those that were not asked for longest are forgotten.
const (
	mostSets  = 1024
	mostForms = 64
)

// A Lexicon is one vocabulary, with the forms that its tokens are put together to. It is not safe for concurrent use.
type Lexicon struct {
	vocabulary *vocabulary
	bytesOf    func(id int) ([]byte, bool)
	texts      recent[string, *Texts]
	sets       recent[*form.State, *Set]
}

// New takes the bytes that each token below size adds to a text. Tokens without bytes, or of which nothing is said, are never in a text.
func New(size int, bytesOf func(id int) ([]byte, bool)) *Lexicon {
	return &Lexicon{
		vocabulary: newVocabulary(size, bytesOf), bytesOf: bytesOf,
		texts: newRecent[string, *Texts](mostForms), sets: newRecent[*form.State, *Set](mostSets),
	}
}

// Texts are the texts of one form, in tokens of a lexicon.
type Texts struct {
	*form.Matcher
	lexicon *Lexicon
}

// Open takes a form, as [form.Parse] reads it. Bytes for which the vocabulary has no token of that byte alone are left out of it; the error of a form that has no
// text then names one.
func (l *Lexicon) Open(text string) (*Texts, error) {
	if t, ok := l.texts.get(text); ok {
		return t, nil
	}
	f, err := form.Parse(text)
	if err != nil {
		return nil, err
	}
	own, ok := f.Of(&l.vocabulary.single)
	if !ok {
		return nil, &form.Error{Text: fmt.Sprintf("the base has no token for %q", missing(f, &l.vocabulary.single))}
	}
	m, err := own.NewMatcher()
	if err != nil {
		return nil, err
	}
	t := &Texts{m, l}
	l.texts.put(text, t)
	return t, nil
}

// missing is the first byte of a shortest text that has does not hold.
func missing(f *form.Form, has *[256]bool) string {
	m, err := f.NewMatcher()
	if err != nil {
		return ""
	}
	s := m.Start()
	for b := 0; b < 256; b++ {
		next, err := m.Step(s, byte(b))
		if err != nil || !next.Alive() || next.Shortest() >= s.Shortest() {
			continue
		}
		if !has[b] {
			return string([]byte{byte(b)})
		}
		s, b = next, -1
	}
	return ""
}

// Token is the state behind one more token.
func (t *Texts) Token(s *form.State, id int) (*form.State, error) {
	bytes, ok := t.lexicon.bytesOf(id)
	if !ok {
		return t.StepToken(s, id)
	}
	var err error
	for _, b := range bytes {
		if s, err = t.Step(s, b); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Allowed are the tokens behind which a text can still become one of the form. Where at most left tokens may still be drawn, those behind
// which it can no longer be finished are left out: the bytes that are missing, one token each, and an end token must fit behind. left below 0: any number may.
func (t *Texts) Allowed(s *form.State, left int) (*Set, error) {
	all, ok := t.lexicon.sets.get(s)
	if !ok {
		var err error
		if all, err = t.walk(s, math.MaxInt); err != nil {
			return nil, err
		}
		t.lexicon.sets.put(s, all)
	}
	if left < 0 || all.most+2 <= left {
		return all, nil
	}
	return t.walk(s, left-2)
}

// walk finds the tokens behind which a text can go on and is at most so many bytes from its end.
func (t *Texts) walk(s *form.State, most int) (*Set, error) {
	v := t.lexicon.vocabulary
	set := &Set{bits: make([]uint64, (v.size+63)/64)}
	states := make([]*form.State, v.long+1)
	states[0] = s
	for i := 0; i < len(v.bytes); {
		depth := v.depths[i]
		next, err := t.Step(states[depth], v.bytes[i])
		if err != nil {
			return nil, err
		}
		if !next.Alive() {
			i = int(v.behind[i])
			continue
		}
		states[depth+1] = next
		if next.Shortest() <= most {
			for _, id := range v.tokens[i] {
				set.add(int(id), next)
			}
		}
		i++
	}
	return set, t.walkTokens(s, most, set)
}

// walkTokens adds the tokens that the form names.
func (t *Texts) walkTokens(s *form.State, most int, set *Set) error {
	for _, id := range t.Tokens(s) {
		next, err := t.StepToken(s, id)
		if err != nil {
			return err
		}
		if next.Shortest() <= most && id >= 0 && id < t.lexicon.vocabulary.size {
			set.add(id, next)
		}
	}
	return nil
}

// A recent keeps the values that were asked for last.
type recent[K comparable, V any] struct {
	most   int
	places map[K]*list.Element
	order  *list.List // of pairs, the one asked for last in front
}

type pair[K comparable, V any] struct {
	key   K
	value V
}

func newRecent[K comparable, V any](most int) recent[K, V] {
	return recent[K, V]{most, map[K]*list.Element{}, list.New()}
}

func (r *recent[K, V]) get(key K) (V, bool) {
	e, ok := r.places[key]
	if !ok {
		var none V
		return none, false
	}
	r.order.MoveToFront(e)
	return e.Value.(pair[K, V]).value, true
}

func (r *recent[K, V]) put(key K, v V) {
	if len(r.places) >= r.most {
		oldest := r.order.Remove(r.order.Back()).(pair[K, V])
		delete(r.places, oldest.key)
	}
	r.places[key] = r.order.PushFront(pair[K, V]{key, v})
}

// A Part is a piece of a text: exactly one of its fields is set.
type Part struct {
	Text   string          `json:"text,omitempty"`
	Token  *int            `json:"token,omitempty"` // a token of the base, which need not have a text
	Schema json.RawMessage `json:"schema,omitempty"`
}

// OfParts is the form of texts that are one of several sequences of parts, as [form.Parse] reads it.
func OfParts(alternatives [][]Part) (string, error) {
	text, err := json.Marshal(map[string][][]Part{"any": alternatives})
	return string(text), err
}
