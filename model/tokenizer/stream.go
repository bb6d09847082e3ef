package tokenizer

import "strings"

// A Stream decodes ids that arrive one by one. What it releases joins to the text of all ids; it never releases half a
// character.
type Stream struct {
	// KeepSpecial keeps special tokens in the text.
	KeepSpecial bool

	t      *Tokenizer
	ids    []int  // the window: the ids of the last text released, and those since
	prefix string // the text of the ids in the window that were released
	start  int    // how many ids those are
	held   string // text of the ids that came since, of which the end is not certain
}

// Stream returns a new stream.
func (t *Tokenizer) Stream() *Stream { return &Stream{t: t} }

// Push takes the next id and returns the text that is now certain; empty while a character is incomplete.
//
// Text is decoded with the ids released before it, as what a token reads as may depend on the one before (a space at the
// start of the text, say).
func (s *Stream) Push(id int) string {
	s.ids = append(s.ids, id)
	text := s.t.Decode(s.ids, s.KeepSpecial)
	added, ok := strings.CutPrefix(text, s.prefix)
	if s.held = added; !ok {
		s.held = ""
	}
	if added == "" || !ok || strings.HasSuffix(text, replacement) {
		return ""
	}
	s.held = ""
	released := len(s.ids) - s.start
	s.ids = append(s.ids[:0], s.ids[s.start:]...)
	s.prefix, s.start = s.t.Decode(s.ids, s.KeepSpecial), released
	return added
}

// Held returns what can be read of the text that is held back, without the incomplete character at its end.
func (s *Stream) Held() string { return strings.TrimRight(s.held, replacement) }

// Flush returns the text that is still held back, an incomplete character as U+FFFD, and makes the stream ready for a new
// text.
func (s *Stream) Flush() string {
	rest, ok := strings.CutPrefix(s.t.Decode(s.ids, s.KeepSpecial), s.prefix)
	s.ids, s.prefix, s.start, s.held = nil, "", 0, ""
	if !ok {
		return ""
	}
	return rest
}
