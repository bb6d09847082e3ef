package dataset

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A Message is one of a chat: what its role is, and what it says.
type Message struct{ Role, Content string }

// names of a message's parts, and of roles, in the forms that there are.
var (
	roleKeys    = []string{"role", "from"}
	contentKeys = []string{"content", "value"}
	roles       = map[string]string{"system": "system", "developer": "system", "user": "user", "human": "user", "assistant": "assistant", "gpt": "assistant"}
)

// Messages reads the chat under a key: a list of objects with role and content, as OpenAI, TRL and verl write them, or with from and value, be the
// list written as a text. ok is false where it is no such list.
func (r Record) Messages(key string) (chat []Message, ok bool, err error) {
	var list []json.RawMessage
	if value := unquoted(r.Value(key), '['); len(value) == 0 || value[0] != '[' || json.Unmarshal(value, &list) != nil || len(list) == 0 {
		return nil, false, nil
	}
	for i, one := range list {
		message, err := ParseRecord(one)
		if err != nil {
			return nil, false, nil //nolint:nilerr // a list of something else
		}
		role, err := message.First(roleKeys...)
		if err != nil || role == "" || !message.Has(contentKeys[0]) && !message.Has(contentKeys[1]) {
			return nil, false, nil //nolint:nilerr // a list of something else
		}
		known, ok := roles[role]
		if !ok {
			return nil, true, fmt.Errorf("%s: message %d has the role %q, expected system, user or assistant", key, i+1, role)
		}
		content, err := message.content()
		if err != nil {
			return nil, true, fmt.Errorf("%s: message %d: %w", key, i+1, err)
		}
		chat = append(chat, Message{known, content})
	}
	return chat, true, nil
}

// content is what a message says: a text, or a list of parts, all of them texts.
func (r Record) content() (string, error) {
	parts, err := r.Records(contentKeys[0])
	if err != nil || len(parts) == 0 {
		return r.First(contentKeys...)
	}
	var texts []string
	for _, part := range parts {
		if kind, err := part.Text("type"); err != nil || kind != "text" {
			return "", fmt.Errorf("it has a part of the type %q, and only texts are read", kind)
		}
		text, err := part.Text("text")
		if err != nil {
			return "", err
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "\n"), nil
}
