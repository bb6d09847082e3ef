package serve

import (
	"strings"
	"sync"

	"parley/model/chat"
	"parley/model/form"
	"parley/model/form/lexicon"
	"parley/serve/chatsession"
)

// AnyObject is the schema of any object of JSON.
const AnyObject = `{"type":"object"}`

// SchemaForm is the form of a JSON schema, as [Question] has it.
func SchemaForm(schema []byte) (string, error) {
	text, err := form.OfSchema(schema)
	if err == nil {
		_, err = form.Parse(text)
	}
	return text, err
}

// ChoiceForm is the form of one of several texts.
func ChoiceForm(texts []string) (string, error) {
	var all [][]form.Part
	for _, text := range texts {
		parts := []form.Part{}
		if text != "" {
			parts = append(parts, form.Part{Text: text})
		}
		all = append(all, parts)
	}
	return form.OfParts(all)
}

// A calling reads an answer that is a call, or may be one, and tells its arguments as they come.
type calling struct {
	forced []chatsession.ForcedCall
	tell   func(chat.Call) error
	say    func(string) error // what is no call
	spared bool               // it need not be a call
	said   bool               // it is none
	text   string
	call   *chat.Call // with the arguments that were told
	id     string
	behind string
}

// newCalling listens in l's place.
func newCalling(q Question, l *Listener) *calling {
	c := &calling{forced: q.Forced, tell: l.Call, say: l.Say, spared: q.Spared, id: callID(q.Seed, 0)}
	if c.tell == nil {
		c.tell = func(chat.Call) error { return nil }
	}
	l.Say = c.hear
	return c
}

func (c *calling) hear(piece string) error {
	if c.said {
		return c.say(piece)
	}
	c.text += piece
	if c.call == nil {
		mayCall := false
		for _, f := range c.forced {
			if rest, begun := strings.CutPrefix(c.text, f.Before); begun {
				c.text, c.behind, c.call = rest, f.Behind, &chat.Call{ID: c.id, Name: f.Name}
				if err := c.tell(*c.call); err != nil {
					return err
				}
				break
			}
			mayCall = mayCall || strings.HasPrefix(f.Before, c.text)
		}
		if c.call == nil && c.spared && !mayCall {
			c.said = true
			return c.say(c.text)
		}
	}
	return c.upTo(len(c.text) - len(c.behind)) // the end may be what stands behind the arguments
}

// upTo tells what was not told of the arguments up to some byte.
func (c *calling) upTo(end int) error {
	if c.call == nil || end <= len(c.call.Arguments) {
		return nil
	}
	piece := c.text[len(c.call.Arguments):end]
	c.call.Arguments += piece
	return c.tell(chat.Call{Arguments: piece})
}

// finish is the answer as a call, if it has to be one or is. One that was cut has as much of its arguments as came.
func (c *calling) finish(a *Answer) error {
	switch {
	case c.said:
		return nil
	case c.call == nil && c.spared: // a text that might have become a call
		return c.say(c.text)
	}
	a.Text = ""
	if c.call == nil {
		return nil
	}
	err := c.upTo(len(strings.TrimSuffix(c.text, c.behind)))
	a.Calls = []chat.Call{*c.call}
	return err
}

// formed says which forms a model's answers can have. It is safe for concurrent use.
type formed struct {
	mu     sync.Mutex
	tokens *lexicon.Lexicon // made when the first form comes
}

// CheckForm implements [Writer].
func (w writer) CheckForm(text string) error {
	w.formed.mu.Lock()
	defer w.formed.mu.Unlock()
	if w.formed.tokens == nil {
		tokens, err := w.speaker.Model.Lexicon()
		if err != nil {
			return err
		}
		w.formed.tokens = tokens
	}
	_, err := w.formed.tokens.Open(text)
	return err
}

// Hold puts a form into a question to a model, for the field that asks for it.
func (q *Question) Hold(m *Model, field, text string) *Failure {
	w, writes := m.Answerer.(Writer)
	if !writes {
		why := "calls tools of its own, which have another form"
		if _, several := m.Answerer.(*Team); several {
			why = "is a team, whose agents have forms of their own: ask one of its agents"
		}
		return Bad(field, "%s %s", m.ID, why).Coded("unsupported_parameter")
	}
	if own := w.Settings().Form; own != "" && own != text {
		return Bad(field, "%s answers in the form of its recipe: leave %s out", m.ID, field).Coded("unsupported_parameter")
	}
	if err := w.CheckForm(text); err != nil {
		return Bad(field, "%s: %v", field, err).Coded("invalid_schema")
	}
	q.Form, q.field = text, field
	return nil
}
