package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// A Call is a function and its arguments, as a model wrote them.
type Call struct {
	Name      string
	Arguments json.RawMessage // an object of JSON; in form text, a string
	Written   string          // what stands in the text
	Texts     bool            // the values of the object are texts, to be read by the types that the function takes
	Err       error           // what is wrong with it; nil: nothing
}

// A Form reads the calls that models write, in the form that their chat templates taught them. Each has a file: hermes.go (Qwen and Hermes),
// llama3.go, mistral.go, qwen3coder.go, and text.go for bases whose template knows no tools. What looks like a call and cannot be read is a call
// with an error, so that the model is told what was wrong with it.
type Form interface {
	// Calls returns the calls in what a model wrote up to an end, in order. The text has special tokens in it, but for the one that ended it.
	Calls(text string) []Call
}

// Names of forms.
const (
	Hermes     = "hermes"
	Llama3     = "llama3"
	Mistral    = "mistral"
	Qwen3Coder = "qwen3-coder"
	Text       = "text"
)

// formByName returns a form by its name; form text has marks and is made by itself.
func formByName(name string) (Form, bool) {
	f, ok := map[string]Form{Hermes: hermes{}, Llama3: llama3{}, Mistral: mistral{}, Qwen3Coder: qwen3Coder{}}[name]
	return f, ok
}

// FormOf says which form a chat template asks its model to write; false: none that is known.
func FormOf(template string) (string, bool) {
	switch {
	case strings.Contains(template, "[TOOL_CALLS]"):
		return Mistral, true
	case strings.Contains(template, functionOpen) && strings.Contains(template, parameterOpen):
		return Qwen3Coder, true
	case strings.Contains(template, "<tool_call>"):
		return Hermes, true
	case strings.Contains(template, "<|python_tag|>"), strings.Contains(template, "ipython") && strings.Contains(template, "parameters"):
		return Llama3, true
	}
	return "", false
}

// object reads a call that is one object of JSON. arguments are the keys that the arguments may have.
func object(written string, data []byte, arguments ...string) Call {
	c := Call{Written: strings.TrimSpace(written)}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		c.Err = fmt.Errorf("the call is no object of JSON: %w", err)
		return c
	}
	if json.Unmarshal(fields["name"], &c.Name) != nil || c.Name == "" {
		c.Name, c.Err = "", fmt.Errorf(`the call has no "name" that is a text`)
		return c
	}
	for _, key := range arguments {
		if value, has := fields[key]; has {
			c.Arguments, c.Err = argumentsOf(value)
			return c
		}
	}
	c.Err = fmt.Errorf("the call has no %q", arguments[0])
	return c
}

// argumentsOf reads arguments. Some models write the object as a text.
func argumentsOf(value json.RawMessage) (json.RawMessage, error) {
	var text string
	if json.Unmarshal(value, &text) == nil {
		value = json.RawMessage(text)
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(value, &fields) != nil || fields == nil {
		return nil, fmt.Errorf("the arguments of the call are no object of JSON")
	}
	var b bytes.Buffer
	if err := json.Compact(&b, value); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// hermes has each call between two tags: <tool_call>{"name": …, "arguments": {…}}</tool_call>. The last tag may be missing at the end.
type hermes struct{}

const (
	hermesOpen  = "<tool_call>"
	hermesClose = "</tool_call>"
)

// Calls implements [Form].
func (hermes) Calls(text string) (calls []Call) {
	for {
		_, rest, found := strings.Cut(text, hermesOpen)
		if !found {
			return calls
		}
		inside, after, _ := strings.Cut(rest, hermesClose)
		if i := strings.Index(inside, hermesOpen); i >= 0 { // the call before was left open
			inside, after = inside[:i], rest[i:]
		}
		calls, text = append(calls, object(inside, []byte(inside), "arguments", "parameters")), after
	}
}
