package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/engine"
	"parley/model"
	"parley/model/chat"
	"parley/model/chat/jinja"
	"parley/rl/rollout/harness"
	"parley/rl/rollout/tools"
)

// CallForms are the forms of calls that answers are read for, by the templates that ask for them.
var CallForms = []string{tools.Hermes, tools.Llama3, tools.Mistral, tools.Qwen3Coder}

// CallForm is the form in which a model writes calls of functions; false: its chat template prints none, or asks for a form that nobody reads.
func CallForm(m *model.Model) (string, bool) {
	form, known := tools.FormOf(m.ToolForm())
	return form, known && m.PrintsCalls()
}

// dialogue is the conversation as the model's template gets it.
func (q *Question) dialogue() (chat.Dialogue, error) {
	told, err := chat.ToolsOf(q.Tools)
	return chat.Dialogue{Turns: q.Messages, Tools: told, Continue: q.Continue}, err
}

// CheckTool says what is wrong with the definition of a function, and in which field.
func CheckTool(definition json.RawMessage) (field string, err error) {
	var tool struct {
		Type     string
		Function tools.Function
	}
	switch err := json.Unmarshal(definition, &tool); {
	case err != nil:
		return "", fmt.Errorf("is no definition of a function: %w", err)
	case tool.Type != "function":
		return ".type", fmt.Errorf("is of type %.40q, expected function", tool.Type)
	case tool.Function.Name == "":
		return ".function.name", errors.New("has no name")
	}
	return "", nil
}

// SetTools puts a client's functions into the question, where what answers it writes calls. A base that does not leaves them alone, as many clients
// always name theirs, unless the model has to answer as to its program; a conversation with calls in it needs one that prints them.
func (q *Question) SetTools(m *Model, definitions []json.RawMessage, choice json.RawMessage) *Failure {
	form, param := false, "messages"
	w, writes := m.Answerer.(Writer)
	if writes {
		_, form = CallForm(w.Speaker().Model)
	}
	if !chat.Called(q.Messages) {
		param = "tools"
	}
	switch {
	case form:
	case param == "tools" && !(m.Unforced && len(definitions) > 0):
		return nil
	case writes:
		return Bad(param, "the request has tools or calls of them, and %s prints none: the chat template of its base, %s, knows none of the forms %s",
			m.ID, w.Speaker().Model.Name, strings.Join(CallForms, ", ")).Coded("unsupported_parameter")
	default:
		return Bad(param, "the request has tools or calls of them, and %s is no model alone, which could read them", m.ID).Coded("unsupported_parameter")
	}
	for i, data := range definitions {
		if field, err := CheckTool(data); err != nil {
			return Bad(fmt.Sprintf("tools[%d]%s", i, field), "tools[%d] %v", i, err)
		}
	}
	if string(choice) != `"none"` {
		q.Tools = definitions
	}
	return nil
}

// Nested are tools as chats have them, of a protocol in which the fields of a function stand beside its type.
func Nested(tools []json.RawMessage) []json.RawMessage {
	out := make([]json.RawMessage, len(tools))
	for i, data := range tools {
		out[i] = data
		v, err := jinja.DecodeJSON(data)
		flat, ok := v.(*jinja.Object)
		if err != nil || !ok {
			continue // which is refused later
		}
		kind, _ := flat.Get("type")
		function := jinja.NewObject()
		for _, key := range flat.Keys() {
			if value, _ := flat.Get(key); key != "type" {
				function.Set(key, value)
			}
		}
		if data, err := jinja.NewObject("type", kind, "function", function).MarshalJSON(); err == nil {
			out[i] = data
		}
	}
	return out
}

// A reading says an answer up to its calls, and keeps these.
type reading struct {
	*tools.Reader
	model   *model.Model
	stops   []string     // that may have ended the answer
	special map[int]bool // marks of calls that are tokens of their own, which no text has
	say     func(text string) error

	text string
	said int
	held bool // what comes is a call
}

// newReading listens in l's place.
func newReading(m *model.Model, q Question, stops []string, l *Listener) (*reading, error) {
	var list []tools.Function
	for _, data := range q.Tools {
		var tool struct{ Function tools.Function }
		if err := json.Unmarshal(data, &tool); err != nil {
			return nil, fmt.Errorf("a tool: %w", err)
		}
		list = append(list, tool.Function)
	}
	form, _ := CallForm(m)
	reader, known := tools.NewReader(form, list)
	if !known {
		return nil, chat.ErrNoCalls
	}
	r := &reading{Reader: reader, model: m, stops: stops, special: map[int]bool{}, say: l.Say}
	for _, mark := range reader.Marks {
		if id, ok := m.Tokenizer.ID(mark); ok && m.Tokenizer.Special(id) {
			r.special[id] = true
		}
	}
	token := l.Token
	l.Token = func(id int, logprob float32) {
		r.held = r.held || r.special[id]
		if token != nil {
			token(id, logprob)
		}
	}
	l.Say = r.hear
	return r, nil
}

// hear takes a piece of the answer, and says what is no call, whatever follows. Blanks before a call are no part of the text.
func (r *reading) hear(piece string) error {
	r.text += piece
	if r.held {
		return nil
	}
	at, begun := r.Before(r.text, r.said)
	r.held = begun
	return r.upTo(strings.TrimRight(r.text[:at], " \t\r\n"))
}

// upTo says what was not said yet of a text.
func (r *reading) upTo(text string) error {
	if len(text) <= r.said {
		return nil
	}
	piece := text[r.said:]
	r.said = len(text)
	return r.say(piece)
}

// finish reads the calls of a whole answer. One that was cut calls nothing.
func (r *reading) finish(a *Answer, seed uint64) error {
	tokens := a.Drawn.Tokens
	if a.Drawn.Stop == engine.StopEOS {
		tokens = tokens[:len(tokens)-1]
	}
	written := r.model.Tokenizer.Decode(tokens, true)
	if a.Drawn.Stop == engine.StopText {
		for _, stop := range r.stops {
			written, _, _ = strings.Cut(written, stop)
		}
	}
	var calls []tools.Call
	if a.Drawn.Stop != engine.StopLength {
		calls = r.Calls(written)
	}
	if len(calls) == 0 {
		return r.upTo(a.Text)
	}
	for i, c := range calls {
		a.Calls = append(a.Calls, chat.Call{ID: harness.CallID(seed, i), Name: c.Name, Arguments: string(c.Arguments)})
	}
	at, _ := r.Before(a.Text, 0)
	text := a.Text[:at]
	if i := slices.IndexFunc(tokens, func(id int) bool { return r.special[id] }); i >= 0 {
		text = text[:min(len(text), len(r.model.Text(tokens[:i])))]
	}
	if r.Whole {
		text = ""
	}
	a.Text = strings.TrimRight(text, " \t\r\n")
	return r.upTo(a.Text)
}
