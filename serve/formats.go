package serve

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/model/form"
	"parley/serve/chatsession"
)

// A Format is what an answer is to look like, as OpenAI's chats have it; in its responses the fields of a schema stand beside its type.
type Format struct {
	Type       string          `json:"type"`
	Schema     json.RawMessage `json:"schema"`
	JSONSchema struct {
		Schema json.RawMessage `json:"schema"`
	} `json:"json_schema"`
}

// held is the schema of a format and its form; empty: any text is one.
func (f *Format) held(param string) (schema json.RawMessage, text string, fault *Failure) {
	if f == nil {
		return nil, "", nil
	}
	switch f.Type {
	case "", "text":
		return nil, "", nil
	case "json_object", "json_schema": // other servers take a schema beside either
		switch schema = slices.Concat(f.JSONSchema.Schema, f.Schema); {
		case len(schema) > 0:
		case f.Type == "json_schema":
			return nil, "", Bad(param, "%s is json_schema and has no schema", param).Coded("invalid_schema")
		default:
			schema = json.RawMessage(AnyObject)
		}
	default:
		return nil, "", Bad(param, "%s is %.40q, expected text, json_object or json_schema", param, f.Type).Coded("unsupported_parameter")
	}
	text, err := SchemaForm(schema)
	return schema, text, unforced(param, err)
}

func unforced(param string, err error) *Failure {
	if err == nil {
		return nil
	}
	return Bad(param, "%s: %v", param, err).Coded("invalid_schema")
}

// Outputs are vLLM's structured outputs: one of its fields.
type Outputs map[string]json.RawMessage

// held is the form of structured outputs; empty: any text is one.
func (o Outputs) held() (text string, fault *Failure) {
	const param = "structured_outputs"
	for _, name := range slices.Sorted(maps.Keys(o)) {
		value := o[name]
		if v := string(value); v == "null" || v == "false" {
			continue
		}
		if text != "" {
			return "", Bad(param, "%s has several fields, expected one of json, regex and choice", param).Coded("invalid_schema")
		}
		var err error
		var word string
		var words []string
		switch name {
		case "json":
			if json.Unmarshal(value, &word) == nil { // a schema as a text
				value = json.RawMessage(word)
			}
			text, err = SchemaForm(value)
		case "json_object":
			text, err = SchemaForm([]byte(AnyObject))
		case "regex":
			if json.Unmarshal(value, &word) != nil {
				return "", Bad(param, "%s.regex is no text", param).Coded("invalid_schema")
			}
			text = form.OfRegex(word)
			_, err = form.Parse(text)
		case "choice":
			if json.Unmarshal(value, &words) != nil {
				return "", Bad(param, "%s.choice is no array of texts", param).Coded("invalid_schema")
			}
			text, err = ChoiceForm(words)
		default:
			return "", Bad(param, "%s has %.80q, expected json, regex or choice", param, name).Coded("unsupported_parameter")
		}
		if err != nil {
			return "", unforced(param, err)
		}
	}
	return text, nil
}

// A choice is what a client says of calls.
type choice struct {
	forced bool
	name   string // of the one function that may be called; empty: any
}

// choiceOf reads a client's choice, as chats or as responses have it.
func choiceOf(data json.RawMessage) (c choice, fault *Failure) {
	var named struct {
		Type     string
		Name     string
		Function struct{ Name string }
	}
	switch word := strings.Trim(string(data), `"`); {
	case len(data) == 0 || word == "null" || word == "auto" || word == "none":
		return c, nil
	case word == "required":
		return choice{forced: true}, nil
	case json.Unmarshal(data, &named) == nil && named.Type == "function" && named.Name+named.Function.Name != "":
		return choice{true, named.Name + named.Function.Name}, nil
	}
	return c, Bad("tool_choice", "tool_choice is %.80s, expected auto, none, required or a function", data).Coded("unsupported_parameter")
}

// A Wish is what a client says of the form of an answer.
type Wish struct {
	Format  *Format
	Field   string // that the format stands in
	Outputs Outputs
	Choice  json.RawMessage   // of calls
	Tools   []json.RawMessage // that may be called
}

// HoldTo holds the answer to what a client asks for: a format, structured outputs or a call.
func (q *Question) HoldTo(m *Model, w Wish) *Failure {
	if m.Unforced {
		c, fault := choiceOf(w.Choice)
		q.Unforced = c.forced || len(w.Outputs) > 0 || w.Format != nil && w.Format.Type != "" && w.Format.Type != "text"
		return fault
	}
	schema, text, fault := w.Format.held(w.Field)
	if fault != nil {
		return fault
	}
	other, fault := w.Outputs.held()
	if fault != nil {
		return fault
	}
	c, fault := choiceOf(w.Choice)
	writes, ok := m.Answerer.(Writer)
	switch {
	case fault != nil:
		return fault
	case text != "" && other != "":
		return Bad("structured_outputs", "%s and structured_outputs are both set, and an answer has one form", w.Field)
	case c.forced && other != "":
		return Bad("tool_choice", "tool_choice forces a call, and structured_outputs another form: leave one out")
	case other != "":
		return q.Hold(m, "structured_outputs", other)
	case text != "" && !c.forced: // a format is that of texts: clients leave it beside a call that they force
		if !ok || len(q.Tools) == 0 || writes.Settings().Form != "" {
			return q.Hold(m, w.Field, text)
		}
		q.Spared = true
		return q.call(m, writes, w.Field, q.Tools, "", schema)
	case !c.forced:
		return nil
	case !ok:
		return q.Hold(m, "tool_choice", "")
	}
	return q.call(m, writes, "tool_choice", w.Tools, c.name, nil)
}

// call holds the answer to a call of a client's functions, or to a schema beside them.
func (q *Question) call(m *Model, w Writer, field string, definitions []json.RawMessage, name string, or json.RawMessage) *Failure {
	for i, data := range definitions {
		if inside, err := CheckTool(data); err != nil {
			return Bad(fmt.Sprintf("tools[%d]%s", i, inside), "tools[%d] %v", i, err)
		}
	}
	base := w.Speaker().Model
	written, _ := CallForm(base)
	calls, text, err := chatsession.ForceCall(base, written, definitions, name, or)
	if err != nil {
		return unforced(field, err)
	}
	q.Forced = calls
	return q.Hold(m, field, text)
}
