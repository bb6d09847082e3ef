package chatsession

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"parley/model"
	"parley/model/chat"
	"parley/model/form"
	"parley/model/form/lexicon"
	"parley/rl/rollout/tools"
)

// A ForcedCall is a function that an answer may be a call of, and what stands around the arguments in its text.
type ForcedCall struct{ Name, Before, Behind string }

// ForceCall is the form of an answer that is exactly one call of a function, or of the one called name, as calls are written in the form of tools that is called written;
// empty: as one object of JSON. Where a schema is given, the answer may as well be JSON of it; then parameters that cannot be forced may be any object, as in calls that
// nothing holds.
func ForceCall(m *model.Model, written string, definitions []json.RawMessage, name string, or json.RawMessage) (calls []ForcedCall, text string, err error) {
	var all [][]lexicon.Part
	for i, data := range definitions {
		var tool struct {
			Function struct {
				Name       string
				Parameters json.RawMessage
			}
		}
		if err := json.Unmarshal(data, &tool); err != nil {
			return nil, "", fmt.Errorf("tools[%d]: %w", i, err)
		}
		f := tool.Function
		if name != "" && f.Name != name {
			continue
		}
		if len(f.Parameters) == 0 || string(f.Parameters) == "null" {
			f.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		text, err := form.OfSchema(f.Parameters)
		if err == nil {
			_, err = form.Parse(text)
		}
		switch {
		case err != nil && or != nil:
			f.Parameters = json.RawMessage(`{"type":"object"}`)
		case err != nil:
			return nil, "", fmt.Errorf("tools[%d].function.parameters: %w", i, err)
		}
		call, parts := forcedCall(m, written, f.Name, f.Parameters)
		calls, all = append(calls, call), append(all, parts)
	}
	if or != nil {
		all = append(all, []lexicon.Part{{Schema: or}})
	}
	switch {
	case len(definitions) == 0 && or == nil:
		return nil, "", errors.New("there are no tools, of which one could be called")
	case len(all) == 0:
		return nil, "", fmt.Errorf("there is no function %.80q among the tools", name)
	}
	text, err = lexicon.OfParts(all)
	return calls, text, err
}

// forcedCall is the text of a call. A mark that is a special token of the base is written as that token, which no text has.
func forcedCall(m *model.Model, written, name string, parameters json.RawMessage) (c ForcedCall, parts []lexicon.Part) {
	quoted, _ := json.Marshal(name) // texts always have JSON
	open, arguments, behind, closing := "", `, "arguments": `, "}", ""
	switch written {
	case tools.Hermes:
		open, behind, closing = "<tool_call>", "}\n", "</tool_call>"
	case tools.Llama3:
		arguments = `, "parameters": `
	case tools.Mistral:
		open, behind = "[TOOL_CALLS]", "}]"
	}
	before := map[string]string{tools.Hermes: "\n", tools.Mistral: " ["}[written] + `{"name": ` + string(quoted) + arguments
	text := func(into *string, s string) {
		if s != "" {
			*into += s
			parts = append(parts, lexicon.Part{Text: s})
		}
	}
	mark := func(into *string, s string) {
		if id, ok := m.Tokenizer.ID(s); ok && m.Tokenizer.Special(id) {
			parts = append(parts, lexicon.Part{Token: &id})
			return
		}
		text(into, s)
	}
	c.Name = name
	mark(&c.Before, open)
	text(&c.Before, before)
	parts = append(parts, lexicon.Part{Schema: parameters})
	text(&c.Behind, behind)
	mark(&c.Behind, closing)
	return c, parts
}

// A CallReader reads an answer that is a call, or may be one, and tells its arguments as they come.
type CallReader struct {
	Forced []ForcedCall
	Spared bool                  // it need not be a call
	ID     string                // of the call
	Tell   func(chat.Call) error // the call with its name, then pieces of its arguments; nil: nobody is told
	Say    func(string) error    // what is no call

	said   bool // it is no call
	text   string
	call   *chat.Call // with the arguments that were told
	behind string
}

// Hear takes a piece of the answer.
func (c *CallReader) Hear(piece string) error {
	if c.said {
		return c.Say(piece)
	}
	c.text += piece
	if c.call == nil {
		mayCall := false
		for _, f := range c.Forced {
			if rest, begun := strings.CutPrefix(c.text, f.Before); begun {
				c.text, c.behind, c.call = rest, f.Behind, &chat.Call{ID: c.ID, Name: f.Name}
				if err := c.tell(*c.call); err != nil {
					return err
				}
				break
			}
			mayCall = mayCall || strings.HasPrefix(f.Before, c.text)
		}
		if c.call == nil && c.Spared && !mayCall {
			c.said = true
			return c.Say(c.text)
		}
	}
	return c.upTo(len(c.text) - len(c.behind)) // the end may be what stands behind the arguments
}

func (c *CallReader) tell(call chat.Call) error {
	if c.Tell == nil {
		return nil
	}
	return c.Tell(call)
}

// upTo tells what was not told of the arguments up to some byte.
func (c *CallReader) upTo(end int) error {
	if c.call == nil || end <= len(c.call.Arguments) {
		return nil
	}
	piece := c.text[len(c.call.Arguments):end]
	c.call.Arguments += piece
	return c.tell(chat.Call{Arguments: piece})
}

// Finish returns the call, if the answer is one, and whether it is a text instead. A call that was cut has as much of its arguments as came.
func (c *CallReader) Finish() (call *chat.Call, text bool, err error) {
	switch {
	case c.said:
		return nil, true, nil
	case c.call == nil && c.Spared: // a text that might have become a call
		return nil, true, c.Say(c.text)
	}
	return c.call, false, c.upTo(c.arguments())
}

// arguments is where the arguments end, or how far they came. What stands behind them may have been cut.
func (c *CallReader) arguments() int {
	d := json.NewDecoder(strings.NewReader(c.text))
	var whole json.RawMessage
	if d.Decode(&whole) != nil {
		return len(c.text)
	}
	return int(d.InputOffset())
}
