package tools

import "strings"

// A Reader reads the calls of functions that are not run here: those of a client, who runs them.
type Reader struct {
	// Marks are what calls begin with. Some may be special tokens of the base.
	Marks []string
	// Whole says that an answer with a call is nothing else, and begins with a brace where no mark stands.
	Whole bool

	form      Form
	functions Functions
}

// NewReader reads a form by its name; false: it is none of a chat template.
func NewReader(form string, list []Function) (*Reader, bool) {
	r := &Reader{functions: Functions{List: list}}
	switch form {
	case Hermes:
		r.Marks = []string{hermesOpen}
	case Qwen3Coder:
		r.Marks = []string{hermesOpen, functionOpen}
	case Mistral:
		r.Marks = []string{mistralOpen}
	case Llama3:
		r.Marks, r.Whole = []string{pythonTag}, true
	}
	var known bool
	r.form, known = formByName(form)
	return r, known
}

// Calls returns the calls of an answer, whose text has special tokens in it, but for the one that ended it. There are none where one cannot
// be read: the answer stays the text that it is.
func (r *Reader) Calls(text string) []Call {
	calls := r.form.Calls(text)
	for i, c := range calls {
		if c.Err != nil {
			return nil
		}
		if c.Texts {
			calls[i].Arguments = r.functions.Typed(c.Name, c.Arguments)
		}
	}
	if _, one := r.form.(interface{ Single() }); one && len(calls) > 1 {
		calls = calls[:1]
	}
	return calls
}

// Before is where a text may begin to be a call, from some byte on; what stands before it is none, whatever follows.
func (r *Reader) Before(text string, from int) (at int, begun bool) {
	if r.Whole {
		trimmed := strings.TrimSpace(text)
		switch {
		case trimmed == "" || strings.HasPrefix(r.Marks[0], trimmed):
			return 0, false
		case strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, r.Marks[0]):
			return 0, true
		}
		return len(text), false
	}
	at = len(text)
	for _, mark := range r.Marks {
		if i := strings.Index(text[from:], mark); i >= 0 && from+i <= at {
			at, begun = from+i, true
		}
	}
	for _, mark := range r.Marks {
		for n := min(len(mark)-1, at-from); n > 0 && !begun; n-- {
			if strings.HasSuffix(text, mark[:n]) {
				at = min(at, len(text)-n)
				break
			}
		}
	}
	return at, begun
}
