package model

import (
	"errors"
	"fmt"
	"strings"

	"parley/model/chat"
)

// ErrHidden is wrapped by the error of [Model.Behind] for templates that do not print a mark, or no end token behind it.
var ErrHidden = errors.New("the template prints no end token behind calls, or no calls")

// Behind renders a conversation and returns what it prints behind the answer that has a mark in it, from the end token on that closes the
// answer, as token ids: what goes between an answer that ends with a call and the next thing that the model writes. How the template would
// print the answer itself does not matter: the model has written it in its own way. The mark stands nowhere else.
func (m *Model) Behind(in chat.Input, mark string) ([]int, error) {
	if m.template.chat == nil {
		return nil, chat.ErrNoTemplate
	}
	text, content, err := m.template.chat.RenderContent(in, m.controls())
	if err != nil {
		return nil, err
	}
	at := strings.Index(text, mark)
	if at < 0 {
		return nil, fmt.Errorf("%w: it prints %.200q", ErrHidden, text)
	}
	from := -1
	for _, e := range m.ends {
		if i := strings.Index(text[at:], e.Text); e.Text != "" && i >= 0 && (from < 0 || at+i+len(e.Text) < from) {
			from = at + i + len(e.Text)
		}
	}
	if from < 0 {
		return nil, fmt.Errorf("%w: it goes on with %.200q", ErrHidden, text[at+len(mark):])
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
	return m.template.chat.ToolSource()
}

// PrintsCalls says whether the model's chat template prints calls of functions, so that it can go on behind their results.
func (m *Model) PrintsCalls() bool { return m.template.chat != nil && m.template.chat.Calls() }
