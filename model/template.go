package model

import (
	"errors"
	"fmt"
	"strings"

	"parley/model/chat"
	"parley/team"
)

// dialogueTemplate renders dialogues: by the model's own chat template, or, for base models without one, as plain text with
// a blank line between messages.
type dialogueTemplate struct {
	chat    *chat.Template
	special bool // whether the tokenizer still has to add its special tokens
}

// newTemplate takes what package chat found: a template, or [chat.ErrNoTemplate] for a base model.
func newTemplate(t *chat.Template, err error) (*dialogueTemplate, error) {
	if errors.Is(err, chat.ErrNoTemplate) {
		return &dialogueTemplate{special: true}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("chat template: %w", err)
	}
	return &dialogueTemplate{chat: t}, nil
}

func (d *dialogueTemplate) render(dialogue []team.Message) (string, error) {
	if d.chat == nil {
		parts := make([]string, len(dialogue))
		for i, m := range dialogue {
			parts[i] = m.Content
		}
		return strings.Join(parts, "\n\n"), nil
	}
	turns := make([]chat.Turn, len(dialogue))
	for i, m := range dialogue {
		turns[i] = chat.Turn{Role: string(m.Role), Content: m.Content}
	}
	return d.chat.Text(turns, true)
}
