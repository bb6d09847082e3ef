package model

import (
	"errors"
	"fmt"
	"slices"
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

// render returns the text of a dialogue, and where in it content could be read as control tokens. Base models read a text that is gone on with
// as it stands, and no calls of functions.
func (d *dialogueTemplate) render(dialogue chat.Dialogue, control *chat.Control, now time.Time) (string, []int, error) {
	if d.chat == nil {
		if chat.Called(dialogue.Turns) {
			return "", nil, chat.ErrNoCalls
		}
		parts := make([]string, len(dialogue.Turns))
		for i, m := range dialogue.Turns {
			parts[i] = tokenizer.ValidUTF8(m.Content)
		}
		text := strings.Join(parts, "\n\n")
		return text, control.Places(text), nil
	}
	dialogue.Turns = slices.Clone(dialogue.Turns)
	for i := range dialogue.Turns {
		dialogue.Turns[i].Content = tokenizer.ValidUTF8(dialogue.Turns[i].Content)
	}
	in, err := d.chat.Input(dialogue, now)
	if err != nil {
		return "", nil, err
	}
	return d.chat.RenderContent(in, control)
}
