package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/model/chat/jinja"
)

// A Call is one of a function, in a message of the assistant's.
type Call struct {
	ID        string `json:"id,omitempty"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // as they were written: JSON, if all is well
}

// A Dialogue is what a model is asked to go on with.
type Dialogue struct {
	Turns    []Turn
	Tools    []any // definitions of functions that may be called, as the template gets them; nil: none
	Continue bool  // the last turn is the assistant's, and is gone on with
}

// ErrNoCalls is the error of conversations with calls of functions for templates that do not print them.
var ErrNoCalls = errors.New("the chat template prints no calls of functions")

// A callStyle is how a template wants messages with calls, on which templates disagree.
type callStyle struct {
	empty bool // a content that is not there is the empty text; else null
	text  bool // arguments are text; else what it means
}

// Calls says whether the template prints calls of functions.
func (t *Template) Calls() bool {
	_, ok := t.callStyle()
	return ok
}

// callStyle is the first style in which a conversation with one call renders, the name of the function included. It is looked for once.
func (t *Template) callStyle() (callStyle, bool) {
	t.once.Do(func() {
		tools, _ := jinja.DecodeJSON([]byte(`[{"type": "function", "function": {"name": "weather_of", "description": "Says what the weather of a city is.",
			"parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}]`))
		list, _ := tools.([]any)
		d := Dialogue{Tools: list, Turns: []Turn{
			{Role: "user", Content: "What is the weather in Oslo?"},
			{Role: "assistant", ToolCalls: []Call{{ID: "a1b2c3d4e", Name: "weather_of", Arguments: `{"city": "Oslo"}`}}},
			{Role: "tool", ToolCallID: "a1b2c3d4e", Content: "Rain."},
		}}
		for _, style := range []callStyle{{}, {text: true}, {empty: true}, {empty: true, text: true}} {
			if t.prints(d, style, time.Time{}) == nil {
				t.style = &style
				return
			}
		}
	})
	if t.style == nil {
		return callStyle{}, false
	}
	return *t.style, true
}

// prints says what keeps a dialogue from being printed with all its calls: each is called by a name that stands nowhere else, and looked for.
func (t *Template) prints(d Dialogue, style callStyle, now time.Time) error {
	mark := markFor(d)
	turns, names := make([]Turn, len(d.Turns)), []string{}
	for i, turn := range d.Turns {
		turns[i] = turn
		turns[i].ToolCalls = nil
		for _, c := range turn.ToolCalls {
			names = append(names, c.Name)
			c.Name = fmt.Sprintf("%s%dx", mark, len(names))
			turns[i].ToolCalls = append(turns[i].ToolCalls, c)
		}
	}
	text, err := t.Render(Input{Messages: messages(turns, style), Tools: d.Tools, AddGenerationPrompt: !d.Continue, ContinueFinal: d.Continue, Now: now})
	if err != nil {
		return err
	}
	for i, name := range names {
		if !strings.Contains(text, fmt.Sprintf("%s%dx", mark, i+1)) {
			return fmt.Errorf("%w: that of %q is not in what it makes of this conversation", ErrNoCalls, name)
		}
	}
	return nil
}

// markFor is a word that is not in a dialogue.
func markFor(d Dialogue) string {
	all, _ := json.Marshal(d) // what cannot be written cannot be rendered either
	for n := 0; ; n++ {
		if mark := fmt.Sprintf("calls%dn", n); !bytes.Contains(all, []byte(mark)) {
			return mark
		}
	}
}

// Input is a dialogue as the template is given it. A conversation whose calls it would not print is an error.
func (t *Template) Input(d Dialogue, now time.Time) (Input, error) {
	in := Input{Tools: d.Tools, AddGenerationPrompt: !d.Continue, ContinueFinal: d.Continue, Now: now}
	if !Called(d.Turns) {
		in.Messages = messages(d.Turns, callStyle{})
		return in, nil
	}
	style, ok := t.callStyle()
	if !ok {
		return Input{}, ErrNoCalls
	}
	in.Messages = messages(d.Turns, style)
	return in, t.prints(d, style, now)
}

// Called says that a conversation has calls of functions or their results.
func Called(turns []Turn) bool {
	for _, turn := range turns {
		if len(turn.ToolCalls) > 0 || turn.Role == "tool" {
			return true
		}
	}
	return false
}

// messages are turns with all that they have.
func messages(turns []Turn, style callStyle) []Message {
	out := make([]Message, len(turns))
	for i, turn := range turns {
		m := NewMessage(string(turn.Role), turn.Content)
		if len(turn.ToolCalls) > 0 {
			if turn.Content == "" && !style.empty {
				m.Set("content", nil)
			}
			calls := make([]any, len(turn.ToolCalls))
			for j, c := range turn.ToolCalls {
				calls[j] = c.object(style)
			}
			m.Set("tool_calls", calls)
		}
		for _, more := range []struct{ key, value string }{{"name", turn.Name}, {"tool_call_id", turn.ToolCallID}} {
			if more.value != "" {
				m.Set(more.key, more.value)
			}
		}
		out[i] = m
	}
	return out
}

// object is a call as templates have it. Arguments that are no object of JSON are text in every style.
func (c Call) object(style callStyle) any {
	arguments := any(c.Arguments)
	if v, err := jinja.DecodeJSON([]byte(c.Arguments)); err == nil && !style.text {
		if o, ok := v.(*jinja.Object); ok {
			arguments = o
		}
	}
	if strings.TrimSpace(c.Arguments) == "" && !style.text {
		arguments = jinja.NewObject()
	}
	o := jinja.NewObject()
	if c.ID != "" {
		o.Set("id", c.ID)
	}
	o.Set("type", "function")
	o.Set("function", jinja.NewObject("name", c.Name, "arguments", arguments))
	return o
}

// ToolsOf reads definitions of functions as templates get them.
func ToolsOf(definitions []json.RawMessage) ([]any, error) {
	var out []any
	for _, data := range definitions {
		v, err := jinja.DecodeJSON(data)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}
