package tools

import (
	"encoding/json"
	"strings"
)

// mistral has [TOOL_CALLS] and behind it a list of objects, [{"name": …, "arguments": {…}}], or, in newer models, a name and its
// arguments each: [TOOL_CALLS]add[ARGS]{"a": 1}.
type mistral struct{}

const (
	mistralOpen = "[TOOL_CALLS]"
	mistralArgs = "[ARGS]"
	mistralID   = "[CALL_ID]"
)

// Calls implements [Form].
func (mistral) Calls(text string) (calls []Call) {
	parts := strings.Split(text, mistralOpen)
	for _, part := range parts[1:] {
		part = strings.TrimSpace(part)
		if name, arguments, named := strings.Cut(part, mistralArgs); named {
			name, _, _ = strings.Cut(name, mistralID)
			calls = append(calls, namedCall(part, strings.TrimSpace(name), arguments))
			continue
		}
		calls = append(calls, listed(part)...)
	}
	return calls
}

// namedCall is a call whose name stands before its arguments.
func namedCall(written, name, arguments string) Call {
	d := json.NewDecoder(strings.NewReader(arguments))
	var first json.RawMessage
	if d.Decode(&first) != nil {
		first = json.RawMessage("null") // which object refuses
	}
	quoted, _ := json.Marshal(name)
	whole, _ := json.Marshal(map[string]json.RawMessage{"name": quoted, "arguments": first})
	return object(written, whole, "arguments")
}

// listed are the calls of a list, or one call without a list around it.
func listed(part string) (calls []Call) {
	d := json.NewDecoder(strings.NewReader(part))
	var first json.RawMessage
	var list []json.RawMessage
	if d.Decode(&first) != nil || json.Unmarshal(first, &list) != nil {
		return []Call{object(part, []byte(part), "arguments", "parameters")}
	}
	for _, one := range list {
		calls = append(calls, object(string(one), one, "arguments", "parameters"))
	}
	return calls
}
