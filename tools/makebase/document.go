package main

import (
	"strings"

	"parley/team"
)

// The special tokens of the chat format. End ends every message and is the only stop token.
const (
	tokenEnd       = "<|end|>"
	tokenUser      = "<|user|>"
	tokenAssistant = "<|assistant|>"
)

// specialTokens in the order of their ids.
var specialTokens = []string{tokenEnd, tokenUser, tokenAssistant}

// A span is a run of a document's text; the loss counts the tokens of the spans that are learned.
type span struct {
	Text  string `json:"text"`
	Learn bool   `json:"learn"`
}

// A document is one entry of the corpus. The texts of neighbouring spans are split where a special token begins, so
// that tokenising spans one by one gives the tokens of the whole.
type document []span

// Text returns the whole document.
func (d document) Text() string {
	var b strings.Builder
	for _, s := range d {
		b.WriteString(s.Text)
	}
	return b.String()
}

// render writes a chat in the format of chat_template.jinja; the base learns what the assistant says and when it stops.
func render(chat []team.Message) document {
	var d document
	for _, m := range chat {
		if m.Role == team.Assistant {
			d = append(d, span{tokenAssistant, false}, span{m.Content + tokenEnd, true})
		} else {
			d = append(d, span{tokenUser + m.Content + tokenEnd, false})
		}
	}
	return d
}
