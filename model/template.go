package model

import (
	"fmt"
	"strings"

	"parley/chat"
	"parley/team"
)

// dialogueTemplate renders dialogues: by the model's own chat template, or, for base models without one, as plain text with
// a blank line between messages.
type dialogueTemplate struct {
	chat    *chat.Template
	special bool // whether the tokenizer still has to add its special tokens
}

func newTemplate(s settings) (*dialogueTemplate, error) {
	d := &dialogueTemplate{special: s.template == ""}
	if s.template == "" {
		return d, nil
	}
	var err error
	if d.chat, err = chat.Parse(s.template); err != nil {
		return nil, fmt.Errorf("chat template: %w", err)
	}
	d.chat.BOS, d.chat.EOS = s.bos, s.eos
	return d, nil
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
