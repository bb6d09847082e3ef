package model

import (
	"strings"

	"parley/chat"
	"parley/team"
	"parley/tokenizer"
)

// dialogueTemplate renders dialogues: by the model's own chat template, or, for base models without one, as plain text with
// a blank line between messages.
type dialogueTemplate struct {
	chat     *chat.Template
	bos, eos string
	special  bool // whether the tokenizer still has to add its special tokens
}

func newTemplate(s settings, t *tokenizer.Tokenizer) (*dialogueTemplate, error) {
	d := &dialogueTemplate{bos: s.bos, eos: s.eos, special: s.template == ""}
	if s.template == "" {
		return d, nil
	}
	var err error
	d.chat, err = chat.Parse(s.template)
	return d, err
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
