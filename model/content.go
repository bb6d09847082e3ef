package model

import (
	"slices"
	"strings"

	"parley/model/chat"
)

// controls are the control tokens that content may not have.
func (m *Model) controls() *chat.Control {
	if m.AllowControl {
		return chat.NewControl(nil)
	}
	return m.control
}

// PromptOf renders a conversation as token ids. Control tokens in it are the template's: what its content writes like one becomes ordinary
// tokens, unless [Model].AllowControl is set.
func (m *Model) PromptOf(in chat.Input) ([]int, error) {
	if m.template.chat == nil {
		return nil, chat.ErrNoTemplate
	}
	text, content, err := m.template.chat.RenderContent(in, m.controls())
	if err != nil {
		return nil, err
	}
	return m.encode(text, content, m.template.special)
}

// WritesControl returns the first control token that a text has, and whether there is one.
func (m *Model) WritesControl(text string) (string, bool) {
	if m.Tokenizer == nil {
		return "", false
	}
	texts := m.Tokenizer.SpecialTexts()
	i := slices.IndexFunc(texts, func(control string) bool { return strings.Contains(text, control) })
	if i < 0 {
		return "", false
	}
	return texts[i], true
}
