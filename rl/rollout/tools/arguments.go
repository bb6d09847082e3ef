package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// shape is the part of a JSON schema that arguments are compared with.
type shape struct {
	Type       string                     `json:"type"`
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
	AnyOf      []shape                    `json:"anyOf"`
}

// Typed reads the texts of an object by the types that a function takes: a number for a number, and so on. What cannot be read stays a text.
func (f *Functions) Typed(name string, texts json.RawMessage) json.RawMessage {
	var values map[string]json.RawMessage
	if json.Unmarshal(texts, &values) != nil {
		return texts
	}
	for _, function := range f.List {
		var s shape
		if function.Name != name || json.Unmarshal(function.Parameters, &s) != nil {
			continue
		}
		for key, value := range values {
			values[key] = typed(s.Properties[key], value)
		}
	}
	if out, err := json.Marshal(values); err == nil {
		return out
	}
	return texts
}

// typed reads a text by a schema. A function that takes texts gets it as it is.
func typed(property, value json.RawMessage) json.RawMessage {
	var s shape
	var text string
	if json.Unmarshal(property, &s) != nil || json.Unmarshal(value, &text) != nil || s.takesText() {
		return value
	}
	read := strings.TrimSpace(text)
	if word, python := map[string]string{"True": "true", "False": "false", "None": "null"}[read]; python {
		read = word
	}
	if !json.Valid([]byte(read)) {
		return value
	}
	return json.RawMessage(read)
}

// takesText says that a value of the schema may be a text.
func (s shape) takesText() bool {
	return s.Type == "string" || s.Type == "" && (len(s.AnyOf) == 0 || slices.ContainsFunc(s.AnyOf, shape.takesText))
}

// accept compares arguments with what the function takes, and returns them as an object. A text is the argument of a function that needs one,
// read as a number or the like where that is what the function takes.
func (f Function) accept(arguments json.RawMessage) (json.RawMessage, error) {
	var s shape
	if err := json.Unmarshal(f.Parameters, &s); err != nil {
		return nil, err
	}
	var text string
	if json.Unmarshal(arguments, &text) == nil {
		return s.only(text)
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &given); err != nil {
		return nil, errors.New("the arguments are no object of JSON")
	}
	for _, name := range s.Required {
		if _, has := given[name]; !has {
			return nil, fmt.Errorf("the argument %q is missing", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		property, known := s.Properties[name]
		if !known {
			return nil, fmt.Errorf("there is no argument %.80q, but %s", name, strings.Join(slices.Sorted(maps.Keys(s.Properties)), ", "))
		}
		if err := fits(name, property, given[name]); err != nil {
			return nil, err
		}
	}
	return arguments, nil
}

// fits compares the type of a value with that of its schema, where it says one.
func fits(name string, property, value json.RawMessage) error {
	var s shape
	if json.Unmarshal(property, &s) != nil || s.Type == "" || string(value) == "null" {
		return nil // a None where the function has a default: the function itself knows
	}
	var into any
	switch s.Type {
	case "string":
		into = new(string)
	case "integer":
		into = new(json.Number)
		if strings.ContainsAny(string(value), `.eE"`) {
			return fmt.Errorf("the argument %q is %.80s, expected an integer", name, value)
		}
	case "number":
		into = new(float64)
	case "boolean":
		into = new(bool)
	case "array":
		into = new([]json.RawMessage)
	case "object":
		into = new(map[string]json.RawMessage)
	default:
		return nil
	}
	if json.Unmarshal(value, into) != nil {
		return fmt.Errorf("the argument %q is %.80s, expected a value of type %s", name, value, s.Type)
	}
	return nil
}

// only makes an object of the text of the only argument.
func (s shape) only(text string) (json.RawMessage, error) {
	names := s.Required
	if len(names) == 0 && len(s.Properties) == 1 {
		names = slices.Collect(maps.Keys(s.Properties))
	}
	if len(names) != 1 {
		return nil, fmt.Errorf("it takes %d arguments, and a call in text has one", len(names))
	}
	value, err := json.Marshal(text)
	if err != nil {
		return nil, err
	}
	if fits(names[0], s.Properties[names[0]], value) != nil {
		value = json.RawMessage(strings.TrimSpace(text))
		if !json.Valid(value) {
			return nil, fmt.Errorf("the argument %.80q is no value of JSON", text)
		}
		if err := fits(names[0], s.Properties[names[0]], value); err != nil {
			return nil, err
		}
	}
	return json.Marshal(map[string]json.RawMessage{names[0]: value})
}
