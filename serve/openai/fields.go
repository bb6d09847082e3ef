package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"parley/team"
)

// bodyTime is how long a client may take to send a body.
const bodyTime = 30 * time.Second

// read decodes the body of a request into v. Fields that nobody knows are left alone, as clients of other servers send them.
func read(w http.ResponseWriter, r *http.Request, v any) *failure {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return fail(http.StatusUnsupportedMediaType, "the content type is %q, expected application/json", r.Header.Get("Content-Type"))
	}
	// The deadline is of the body alone: one that stayed would end the work on the request too. A writer without deadlines has none.
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime))
	data, err := io.ReadAll(r.Body)
	_ = control.SetReadDeadline(time.Time{})
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return fail(http.StatusRequestEntityTooLarge, "the body has more than %d bytes", long.Limit)
	case err != nil:
		return fail(http.StatusBadRequest, "the body did not arrive: %v", err)
	}
	return parse(data, v)
}

// parse is read of a body that has arrived.
func parse(data []byte, v any) *failure {
	if !utf8.Valid(data) {
		return fail(http.StatusBadRequest, "the body is no UTF-8")
	}
	if !bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) {
		return fail(http.StatusBadRequest, "the body is no JSON object")
	}
	err := json.Unmarshal(data, v)
	var wrong *json.UnmarshalTypeError
	var f *failure
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f):
		return f
	case errors.As(err, &wrong):
		field := strings.TrimPrefix(wrong.Field, "sampling.") // which clients know nothing of
		return bad(field, "%s is a JSON %s, expected %s", field, wrong.Value, expected(wrong.Type.Kind().String()))
	}
	return fail(http.StatusBadRequest, "the body is no JSON: %v", err)
}

// expected is how people call a kind of Go's values.
func expected(kind string) string {
	switch {
	case strings.HasPrefix(kind, "int") || strings.HasPrefix(kind, "uint"):
		return "an integer"
	case strings.HasPrefix(kind, "float"):
		return "a number"
	case kind == "bool":
		return "true or false"
	case kind == "slice":
		return "an array"
	case kind == "struct" || kind == "map":
		return "an object"
	}
	return "a " + kind
}

// texts is one text or an array of texts.
type texts []string

func (t *texts) UnmarshalJSON(data []byte) error {
	var one string
	if err := json.Unmarshal(data, &one); err == nil {
		if string(data) != "null" {
			*t = texts{one}
		}
		return nil
	}
	var all []string
	if err := json.Unmarshal(data, &all); err != nil {
		return bad("stop", "stop is neither a text nor an array of texts")
	}
	*t = all
	return nil
}

// A message is one of a conversation.
type message struct {
	Role      string          `json:"role"`
	Content   content         `json:"content"`
	ToolCalls json.RawMessage `json:"tool_calls"`
}

// content is the text of a message: a text, or an array of parts of it.
type content struct {
	text    string
	present bool
}

func (c *content) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	c.present = true
	if err := json.Unmarshal(data, &c.text); err == nil {
		return nil
	}
	var parts []struct {
		Type string  `json:"type"`
		Text *string `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return bad("messages", "the content of a message is neither a text nor an array of parts")
	}
	for _, p := range parts {
		switch p.Type {
		case "text", "input_text", "output_text":
		default:
			return bad("messages", "a message has content of type %q, and models here read text alone", p.Type)
		}
		if p.Text == nil {
			return bad("messages", "a part of a message's content has no text")
		}
		c.text += *p.Text
	}
	return nil
}

// dialogue is a conversation as teams and models read it.
func dialogue(messages []message) ([]team.Message, *failure) {
	if len(messages) == 0 {
		return nil, bad("messages", "messages is empty: there is nothing to answer")
	}
	out := make([]team.Message, 0, len(messages))
	for i, m := range messages {
		param := fmt.Sprintf("messages[%d]", i)
		if !m.Content.present && (m.Role != "assistant" || len(m.ToolCalls) == 0) {
			return nil, bad(param+".content", "%s has no content", param)
		}
		var role team.Role
		switch m.Role {
		case "system", "developer":
			role = team.System
		case "user", "tool": // what a tool of the client's said is text that the model reads
			role = team.User
		case "assistant":
			role = team.Assistant
		default:
			return nil, bad(param+".role", "%s has the role %q, expected system, developer, user, assistant or tool", param, m.Role)
		}
		if role == team.Assistant && m.Content.text == "" {
			continue // it called a tool and said nothing
		}
		out = append(out, team.Message{Role: role, Content: m.Content.text})
	}
	if out[len(out)-1].Role == team.Assistant {
		return nil, bad("messages", "the last message is the assistant's own: there is nothing to answer")
	}
	return out, nil
}
