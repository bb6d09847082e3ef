package model

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/model/chat"
	"parley/model/tokenizer"
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

// render returns the text of a dialogue, and where in it content could be read as control tokens.
func (d *dialogueTemplate) render(dialogue []chat.Turn, control *chat.Control, now time.Time) (string, []int, error) {
	if d.chat == nil {
		parts := make([]string, len(dialogue))
		for i, m := range dialogue {
			parts[i] = tokenizer.ValidUTF8(m.Content)
		}
		text := strings.Join(parts, "\n\n")
		return text, control.Places(text), nil
	}
	messages := make([]chat.Message, len(dialogue))
	for i, m := range dialogue {
		messages[i] = chat.NewMessage(string(m.Role), tokenizer.ValidUTF8(m.Content))
	}
	return d.chat.RenderContent(chat.Input{Messages: messages, AddGenerationPrompt: true, Now: now}, control)
}
