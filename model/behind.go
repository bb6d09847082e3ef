package model

import (
	"fmt"
	"strings"

	"parley/model/chat"
)

// Behind renders what a conversation prints behind the end token of its first n messages, the last of which is an answer, as token ids: what
// goes between an answer that ends with a call and the next thing that the model writes.
func (m *Model) Behind(in chat.Input, n int) ([]int, error) {
	if m.template.chat == nil {
		return nil, chat.ErrNoTemplate
	}
	before := in
	before.Messages, before.AddGenerationPrompt = in.Messages[:n], false
	begin, err := m.template.chat.Render(before)
	if err != nil {
		return nil, err
	}
	text, content, err := m.template.chat.RenderContent(in, m.controls())
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(text, begin) {
		return nil, fmt.Errorf("message %d: %w", n, chat.ErrRewrites)
	}
	from := len(begin)
	for _, e := range m.ends {
		if at := strings.LastIndex(begin, e.Text); e.Text != "" && at >= 0 && strings.TrimSpace(begin[at+len(e.Text):]) == "" {
			from = at + len(e.Text)
		}
	}
	var places []int
	for _, at := range content {
		if at >= from {
			places = append(places, at-from)
		}
	}
	return m.encode(text[from:], places, false)
}

// ToolForm is the text of the chat template that conversations with tools are rendered with; empty: the model has none.
func (m *Model) ToolForm() string {
	if m.template.chat == nil {
		return ""
	}
	return m.template.chat.Source
}
