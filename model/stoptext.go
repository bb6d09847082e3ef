package model

import (
	"fmt"
	"strings"

	"parley/model/tokenizer"
)

// Stops are texts at which answers of a model end. A text is found in what the tokens read as, wherever they are cut; one that is a special
// token's own, such as <|im_end|>, is that token.
type Stops struct {
	tokenizer *tokenizer.Tokenizer
	texts     []string
	tokens    map[int]bool
}

// Stops returns texts as the model writes them; nil for none.
func (m *Model) Stops(texts []string) (*Stops, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	if m.Tokenizer == nil {
		return nil, fmt.Errorf("the model has no tokenizer: it cannot stop at texts")
	}
	s := &Stops{tokenizer: m.Tokenizer, tokens: map[int]bool{}}
	for _, text := range texts {
		if text == "" {
			return nil, fmt.Errorf("a stop text is empty")
		}
		if id, ok := m.Tokenizer.ID(text); ok && m.Tokenizer.Special(id) {
			s.tokens[id] = true
			continue
		}
		ids, err := m.Tokenizer.Encode(text, false)
		if err != nil {
			return nil, fmt.Errorf("the stop text %q: %w", text, err)
		}
		for _, id := range ids {
			if m.Tokenizer.Special(id) {
				token, _ := m.Tokenizer.Token(id)
				return nil, fmt.Errorf("the stop text %q has the special token %s in it, which answers are read without: write the token alone", text, token)
			}
		}
		s.texts = append(s.texts, text)
	}
	return s, nil
}

// Watch follows an answer of at least so many tokens: what is written before is no reason to stop.
func (s *Stops) Watch(least int) *Watch {
	return &Watch{stops: s, least: least, stream: s.tokenizer.Stream()}
}

// A Watch reads one answer, token by token, until a stop text is complete. It is an engine's watcher.
type Watch struct {
	stops    *Stops
	stream   *tokenizer.Stream
	least    int
	tokens   int    // so far
	text     string // that is certain
	seen     int    // how much text has been looked through, up to its end
	released int    // how much of it Next has returned
	ended    bool
}

// Ends takes the next token, and reports whether the answer ends with it: a stop text is complete. What the token reads as behind the stop
// text is dropped with it.
func (w *Watch) Ends(token int) bool {
	if w.ended {
		return true
	}
	w.tokens++
	w.text += w.stream.Push(token)
	text := w.text + w.stream.Held()
	if w.tokens >= w.least {
		if w.stops.tokens[token] {
			w.text, w.ended = text, true
		} else if at := w.stops.find(text, w.seen); at >= 0 {
			w.text, w.ended = text[:at], true
		}
	}
	w.seen = len(text)
	return w.ended
}

// find returns where the first of the stop texts begins that end behind the first seen bytes of a text; -1: there is none.
func (s *Stops) find(text string, seen int) int {
	first := -1
	for _, stop := range s.texts {
		from := min(max(0, seen-len(stop)+1), len(text))
		if at := strings.Index(text[from:], stop); at >= 0 && (first < 0 || from+at < first) {
			first = from + at
		}
	}
	return first
}

// Text returns what was written before the stop text; false: none has come.
func (w *Watch) Text() (string, bool) { return w.text, w.ended }

// Next returns the text that has become certain since the last call: it is neither a stop text nor the beginning of one.
func (w *Watch) Next() string {
	end := len(w.text)
	if !w.ended {
		end -= w.stops.begun(w.text)
	}
	out := w.text[min(w.released, end):end]
	w.released = max(w.released, end)
	return out
}

// Rest returns what Next has held back of an answer that is over.
func (w *Watch) Rest() string {
	if !w.ended {
		w.text += w.stream.Flush()
	}
	out := w.text[min(w.released, len(w.text)):]
	w.released = len(w.text)
	return out
}

// begun is how many bytes at the end of a text may be the beginning of a stop text.
func (s *Stops) begun(text string) int {
	most := 0
	for _, stop := range s.texts {
		for n := min(len(stop)-1, len(text)); n > most; n-- {
			if strings.HasSuffix(text, stop[:n]) {
				most = n
			}
		}
	}
	return most
}
