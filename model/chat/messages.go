package chat

import (
	"errors"
	"strings"

	"parley/model/chat/jinja"
)

// fillReasoning gives messages that carry a model's reasoning under one name the other names too: templates disagree on it. If several names
// are set, the first that is not null counts. As in transformers, thinking is put first where it is added and left as it is where it is set.
func fillReasoning(messages []Message) []Message {
	out := make([]Message, len(messages))
	for i, m := range messages {
		out[i] = m
		for _, name := range []string{"reasoning_content", "thinking", "reasoning"} {
			v, ok := m.Get(name)
			if !ok || v == nil {
				continue
			}
			c := jinja.NewObject("thinking", v)
			for _, key := range m.Keys() {
				value, _ := m.Get(key)
				c.Set(key, value)
			}
			c.Set("reasoning_content", v)
			out[i] = c
			break
		}
	}
	return out
}

// finalTag is put behind the message to be continued, to find its end in the text. The space shows whether the template
// trims messages.
const finalTag = "CONTINUE_FINAL_MESSAGE_TAG "

// markFinal puts the tag behind the last text of the last message and returns that text. A template that never names the content of a
// message, but prints whole messages for instance, has no place where an answer goes on.
func markFinal(messages []Message, template string) ([]Message, string, error) {
	if len(messages) == 0 {
		return nil, "", errors.New("continue_final_message: there are no messages")
	}
	if !strings.Contains(template, "content") {
		return nil, "", errors.New("continue_final_message: the template does not name the content of messages")
	}
	messages = append([]Message(nil), messages...)
	last := messages[len(messages)-1].Clone()
	messages[len(messages)-1] = last
	content, _ := last.Get("content")
	if s, ok := content.(string); ok {
		last.Set("content", s+finalTag)
		return messages, s, nil
	}
	parts, _ := content.([]any)
	for i := len(parts) - 1; i >= 0; i-- {
		part, ok := parts[i].(*jinja.Object)
		if !ok {
			continue
		}
		v, _ := part.Get("text")
		s, ok := v.(string)
		if !ok {
			continue
		}
		part = part.Clone()
		part.Set("text", s+finalTag)
		parts = append([]any(nil), parts...)
		parts[i] = part
		last.Set("content", parts)
		return messages, s, nil
	}
	return nil, "", errors.New("continue_final_message: the final message has no text to continue")
}

// cutFinal cuts the text where the final message ends. If the template trimmed it, the white space before goes too.
func cutFinal(text, final string) (string, error) {
	tag := strings.TrimSpace(finalTag)
	at := strings.LastIndex(text, tag)
	if at < 0 || !strings.Contains(text, strings.TrimFunc(final, jinja.IsSpace)) {
		return "", errors.New("continue_final_message: the final message does not appear in the text; the template drops or changes it")
	}
	if strings.HasPrefix(text[at:], finalTag) {
		return text[:at], nil
	}
	return strings.TrimRightFunc(text[:at], jinja.IsSpace), nil
}
