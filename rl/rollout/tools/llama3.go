package tools

import (
	"bytes"
	"encoding/json"
	"strings"
)

// llama3 has a text that begins with the call: {"name": …, "parameters": {…}}, with <|python_tag|> before it or not. Several stand one behind
// the other, with semicolons between them. An object that is none of a call is an answer in JSON.
type llama3 struct{}

const pythonTag = "<|python_tag|>"

// Calls implements [Form].
func (llama3) Calls(text string) (calls []Call) {
	rest, tagged := strings.CutPrefix(strings.TrimSpace(text), pythonTag)
	for {
		rest = strings.TrimLeft(rest, " \t\r\n;")
		if !strings.HasPrefix(rest, "{") {
			if tagged && len(calls) == 0 {
				return []Call{object(rest, []byte(rest), "parameters")}
			}
			return calls
		}
		d := json.NewDecoder(strings.NewReader(rest))
		var one json.RawMessage
		if err := d.Decode(&one); err != nil {
			if tagged || strings.Contains(rest, `"name"`) {
				calls = append(calls, object(rest, []byte(rest), "parameters"))
			}
			return calls
		}
		if !tagged && !bytes.Contains(one, []byte(`"name"`)) {
			return calls
		}
		calls = append(calls, object(string(one), one, "parameters", "arguments"))
		rest = rest[d.InputOffset():]
	}
}

// Single says that the chat template shows one call a message at most.
func (llama3) Single() {}
