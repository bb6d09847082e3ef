package openai

import (
	"encoding/json"
	"fmt"

	"parley/model/chat"
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
	Role         string          `json:"role"`
	Content      content         `json:"content"`
	Name         string          `json:"name"`
	ToolCalls    []toolCall      `json:"tool_calls"`
	ToolCallID   string          `json:"tool_call_id"`
	FunctionCall json.RawMessage `json:"function_call"` // what calls were before there were tools
}

// A toolCall is a call of a function in a message.
type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string    `json:"name"`
		Arguments arguments `json:"arguments"`
	} `json:"function"`
}

// arguments are those of a call: a text of JSON, or, from some clients, the object.
type arguments string

func (a *arguments) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) != nil {
		text = string(data)
	}
	*a = arguments(text)
	return nil
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
		calls, fault := m.calls(param)
		switch {
		case fault != nil:
			return nil, fault
		case role == team.Assistant && m.Content.text == "" && calls == nil && i < len(messages)-1:
			continue // which templates would print as an answer
		}
		out = append(out, team.Message{Role: role, Content: m.Content.text, Name: m.Name, ToolCalls: calls, ToolCallID: m.ToolCallID})
	}
	return out, nil
}

// calls are those of a message.
func (m *message) calls(param string) (out []chat.Call, fault *serve.Failure) {
	if f := string(m.FunctionCall); f != "" && f != "null" {
		return nil, serve.Bad(param+".function_call", "%s has a function_call, expected tool_calls, which have taken its place", param).Coded("unsupported_parameter")
	}
	for i, c := range m.ToolCalls {
		at := fmt.Sprintf("%s.tool_calls[%d]", param, i)
		switch {
		case m.Role != "assistant":
			return nil, serve.Bad(param+".tool_calls", "%s has tool_calls and is none of the assistant's", param)
		case c.Type != "" && c.Type != "function":
			return nil, serve.Bad(at+".type", "%s is of type %.40q, expected function", at, c.Type)
		case c.Function.Name == "":
			return nil, serve.Bad(at+".function.name", "%s has no name of a function", at)
		}
		out = append(out, chat.Call{ID: c.ID, Name: c.Function.Name, Arguments: string(c.Function.Arguments)})
	}
	return out, nil
}
