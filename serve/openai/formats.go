package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"parley/model/form"
	"parley/serve"
)

// A format is what an answer is to look like, as chats have it; in responses the fields of a schema stand beside its type.
type format struct {
	Type       string          `json:"type"`
	Schema     json.RawMessage `json:"schema"`
	JSONSchema struct {
		Schema json.RawMessage `json:"schema"`
	} `json:"json_schema"`
}

// held is the form of a format; empty: any text is one.
func (f *format) held(param string) (string, *serve.Failure) {
	if f == nil {
		return "", nil
	}
	var schema json.RawMessage
	switch f.Type {
	case "", "text":
		return "", nil
	case "json_object":
		schema = json.RawMessage(serve.AnyObject)
	case "json_schema":
		if schema = slices.Concat(f.JSONSchema.Schema, f.Schema); len(schema) == 0 {
			return "", serve.Bad(param, "%s is json_schema and has no schema", param).Coded("invalid_schema")
		}
	default:
		return "", serve.Bad(param, "%s is %.40q, expected text, json_object or json_schema", param, f.Type).Coded("unsupported_parameter")
	}
	text, err := serve.SchemaForm(schema)
	return text, refused(param, err)
}

func refused(param string, err error) *serve.Failure {
	if err == nil {
		return nil
	}
	return serve.Bad(param, "%s: %v", param, err).Coded("invalid_schema")
}

// outputs are vLLM's structured outputs: one of its fields.
type outputs map[string]json.RawMessage

// held is the form of structured outputs; empty: any text is one.
func (o outputs) held() (text string, fault *serve.Failure) {
	const param = "structured_outputs"
	for name, value := range o {
		if v := string(value); v == "null" || v == "false" {
			continue
		}
		if text != "" {
			return "", serve.Bad(param, "%s has several fields, expected one of json, regex and choice", param).Coded("invalid_schema")
		}
		var err error
		var word string
		var words []string
		switch name {
		case "json":
			if json.Unmarshal(value, &word) == nil { // a schema as a text
				value = json.RawMessage(word)
			}
			text, err = serve.SchemaForm(value)
		case "json_object":
			text, err = serve.SchemaForm([]byte(serve.AnyObject))
		case "regex":
			if err = json.Unmarshal(value, &word); err == nil {
				text = form.OfRegex(word)
				_, err = form.Parse(text)
			}
		case "choice":
			if err = json.Unmarshal(value, &words); err == nil {
				text, err = serve.ChoiceForm(words)
			}
		default:
			return "", serve.Bad(param, "%s has %.80q, expected json, regex or choice", param, name).Coded("unsupported_parameter")
		}
		if err != nil {
			return "", refused(param, err)
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
func choiceOf(data json.RawMessage) (c choice, fault *serve.Failure) {
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
	return c, serve.Bad("tool_choice", "tool_choice is %.80s, expected auto, none, required or a function", data).Coded("unsupported_parameter")
}

// setForm holds the answer to what the client asks for: a format, structured outputs or a call.
func (t *chatTask) setForm(param string) *serve.Failure {
	text, fault := t.ResponseFormat.held(param)
	if fault != nil {
		return fault
	}
	other, fault := t.StructuredOutputs.held()
	if fault != nil {
		return fault
	}
	c, fault := choiceOf(t.ToolChoice)
	switch {
	case fault != nil:
		return fault
	case text != "" && other != "":
		return serve.Bad(param, "%s and structured_outputs are both set, and an answer has one form", param)
	case c.forced && text+other != "":
		return serve.Bad("tool_choice", "tool_choice forces a call, and the answer is to have another form: leave one out")
	case other != "":
		return t.question.Hold(t.model, "structured_outputs", other)
	case text != "":
		return t.question.Hold(t.model, param, text)
	case !c.forced:
		return nil
	}
	w, writes := t.model.Answerer.(serve.Writer)
	if !writes {
		return t.question.Hold(t.model, "tool_choice", "")
	}
	if err := t.question.ForceCall(w.Speaker().Model, t.Tools, c.name); err != nil {
		return serve.Bad("tool_choice", "tool_choice: %v", err).Coded("invalid_schema")
	}
	return t.question.Hold(t.model, "tool_choice", t.question.Form)
}

// setForm holds the texts to what the client asks for.
func (t *completionTask) setForm() *serve.Failure {
	text, fault := t.ResponseFormat.held("response_format")
	if fault != nil {
		return fault
	}
	other, fault := t.StructuredOutputs.held()
	if fault != nil {
		return fault
	}
	param := "response_format"
	if other != "" {
		param = "structured_outputs"
	}
	var q serve.Question
	switch {
	case text != "" && other != "":
		return serve.Bad(param, "response_format and structured_outputs are both set, and a text has one form")
	case text+other != "":
		if fault = q.Hold(t.model, param, text+other); fault != nil {
			return fault
		}
		t.settings.Form = q.Form
	}
	if t.settings.Form == "" {
		return nil
	}
	switch {
	case t.MinTokens > 0:
		param = "min_tokens"
	case t.IgnoreEOS:
		param = "ignore_eos"
	case len(t.StopTokenIDs) > 0:
		param = "stop_token_ids"
	default:
		return nil
	}
	return serve.Bad(param, "%s is set beside a form, which alone says where the text may end: leave it out", param)
}
