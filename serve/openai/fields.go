package openai

import (
	"encoding/json"
	"fmt"

	"parley/serve"
	"parley/team"
)

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
		return serve.Bad("stop", "stop is neither a text nor an array of texts")
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
	*c = content{} // a key that stands twice is read into one value
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
		return serve.Bad("messages", "the content of a message is neither a text nor an array of parts")
	}
	for _, p := range parts {
		switch p.Type {
		case "text", "input_text", "output_text":
		default:
			return serve.Bad("messages", "a message has content of type %q, and models here read text alone", p.Type)
		}
		if p.Text == nil {
			return serve.Bad("messages", "a part of a message's content has no text")
		}
		c.text += *p.Text
	}
	return nil
}

// dialogue is a conversation as teams and models read it.
func dialogue(messages []message) ([]team.Message, *serve.Failure) {
	if len(messages) == 0 {
		return nil, serve.Bad("messages", "messages is empty: there is nothing to answer")
	}
	out := make([]team.Message, 0, len(messages))
	for i, m := range messages {
		param := fmt.Sprintf("messages[%d]", i)
		if !m.Content.present && (m.Role != "assistant" || len(m.ToolCalls) == 0) {
			return nil, serve.Bad(param+".content", "%s has no content", param)
		}
		role, ok := serve.RoleOf(m.Role)
		if !ok {
			return nil, serve.Bad(param+".role", "%s has the role %q, expected system, developer, user, assistant or tool", param, m.Role)
		}
		if role == team.Assistant && m.Content.text == "" {
			continue // it called a tool and said nothing
		}
		out = append(out, team.Message{Role: role, Content: m.Content.text})
	}
	if len(out) == 0 || out[len(out)-1].Role == team.Assistant {
		return nil, serve.Bad("messages", "the last message is the assistant's own: there is nothing to answer")
	}
	return out, nil
}
