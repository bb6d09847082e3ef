package chatsession

import (
	"encoding/json"
	"fmt"

	"parley/model"
	"parley/model/form"
	"parley/rl/rollout/tools"
)

// A ForcedCall is a function that an answer may be a call of, and what stands around the arguments in its text.
type ForcedCall struct{ Name, Before, Behind string }

// ForceCall is the form of an answer that is exactly one call of a function, or of the one called name, as calls are written in the form of tools that is called written;
// empty: as one object of JSON. Where a schema is given, the answer may as well be JSON of it; then parameters that cannot be forced may be any object, as in calls that
// nothing holds.
func ForceCall(m *model.Model, written string, definitions []json.RawMessage, name string, or json.RawMessage) (calls []ForcedCall, text string, err error) {
	var all [][]form.Part
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
		all = append(all, []form.Part{{Schema: or}})
	}
	if len(all) == 0 {
		return nil, "", fmt.Errorf("there is no function %.80q among the tools", name)
	}
	text, err = form.OfParts(all)
	return calls, text, err
}

// forcedCall is the text of a call. A mark that is a special token of the base is written as that token, which no text has.
func forcedCall(m *model.Model, written, name string, parameters json.RawMessage) (c ForcedCall, parts []form.Part) {
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
			parts = append(parts, form.Part{Text: s})
		}
	}
	mark := func(into *string, s string) {
		if id, ok := m.Tokenizer.ID(s); ok && m.Tokenizer.Special(id) {
			parts = append(parts, form.Part{Token: &id})
			return
		}
		text(into, s)
	}
	c.Name = name
	mark(&c.Before, open)
	text(&c.Before, before)
	parts = append(parts, form.Part{Schema: parameters})
	text(&c.Behind, behind)
	mark(&c.Behind, closing)
	return c, parts
}
