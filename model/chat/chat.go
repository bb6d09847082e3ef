// Package chat renders conversations to the text that a model was trained on, with the chat template that comes with the
// model.
//
// Chat templates are programs in the language Jinja, which package [jinja] runs the way Hugging Face transformers does, so that
// the text is the same byte for byte. This package gives the programs their variables:
//
//	load.go      where a model's template is: [LoadFS] a folder, [FromGGUF] a GGUF file, else [ChatML]
//	chat.go      [Parse], and a conversation as the [Template]'s variables; [Template.Text] for plain roles and texts
//	input.go     a conversation as JSON
//	messages.go  what transformers does to messages before: names of the reasoning, a last message that goes on
//	content.go   where content is in the text that comes out
//	turns.go     which part of a text the assistant wrote, and whether later turns repeat earlier ones
package chat

import (
	"strings"
	"time"

	"parley/model/chat/jinja"
)

// A Message is one entry of a conversation: role, content, and whatever else the template knows (tool_calls, name,
// reasoning_content, ...). The order of its keys can show in the text.
type Message = *jinja.Object

// An Input is what a template is given.
type Input struct {
	Messages []Message
	Tools    []any // nil: no tools; an empty list is something else
	// AddGenerationPrompt asks for the beginning of an answer at the end.
	AddGenerationPrompt bool
	// ContinueFinal leaves the last message open, so that a model goes on with it.
	ContinueFinal bool
	BOS, EOS      string        // bos_token and eos_token; empty: those of the template
	Extra         *jinja.Object // further variables, such as enable_thinking
	Now           time.Time     // for strftime_now; the zero value is the zero time
}

// A Template is a parsed chat template. It may be used concurrently.
type Template struct {
	BOS, EOS string // tokens that the template may print; empty ones are undefined in it
	Dated    bool   // it may print the time, by strftime_now

	program *jinja.Template
}

// Parse reads a template.
func Parse(source string) (*Template, error) {
	program, err := jinja.Parse(source)
	if err != nil {
		return nil, err
	}
	return &Template{program: program, Dated: strings.Contains(source, "strftime_now")}, nil
}

// Render returns the text of a conversation. A refusal by the template is a [*jinja.RaisedError] inside of the error.
func (t *Template) Render(in Input) (string, error) {
	text, _, err := t.RenderWithMask(in)
	return text, err
}

// RenderWithMask is Render, and tells what of the text the assistant wrote: the generation blocks of templates that have
// them, in order.
func (t *Template) RenderWithMask(in Input) (text string, assistant []jinja.Span, err error) {
	in.Messages = fillReasoning(in.Messages)
	var final string
	if in.ContinueFinal {
		if in.Messages, final, err = markFinal(in.Messages); err != nil {
			return "", nil, err
		}
	}
	text, assistant, err = t.program.Render(t.variables(in), in.Now)
	if err != nil {
		return "", nil, err
	}
	if in.ContinueFinal {
		if text, err = cutFinal(text, final); err != nil {
			return "", nil, err
		}
	}
	return text, clip(assistant, len(text)), nil
}

// variables are those that the template is given.
func (t *Template) variables(in Input) *jinja.Object {
	v := jinja.NewObject()
	for name, tokens := range map[string][2]string{"bos_token": {in.BOS, t.BOS}, "eos_token": {in.EOS, t.EOS}} {
		if tokens[0] != "" {
			v.Set(name, tokens[0])
		} else if tokens[1] != "" {
			v.Set(name, tokens[1])
		}
	}
	v.Set("messages", in.Messages)
	v.Set("tools", nil)
	if in.Tools != nil {
		v.Set("tools", in.Tools)
	}
	v.Set("documents", nil)
	v.Set("add_generation_prompt", in.AddGenerationPrompt)
	for _, key := range in.Extra.Keys() {
		extra, _ := in.Extra.Get(key)
		v.Set(key, extra)
	}
	return v
}

// clip drops what lies behind the end of the text, which [Input.ContinueFinal] moves.
func clip(spans []jinja.Span, end int) []jinja.Span {
	for i := range spans {
		spans[i] = jinja.Span{Start: min(spans[i].Start, end), End: min(spans[i].End, end)}
	}
	return spans
}

// NewMessage is a message that is only a role and a text.
func NewMessage(role, content string) Message {
	return jinja.NewObject("role", role, "content", content)
}

// A Turn is a message that is only a role and a text.
type Turn struct{ Role, Content string }

// Text renders turns; addGenerationPrompt asks for the beginning of the assistant's answer at the end.
func (t *Template) Text(turns []Turn, addGenerationPrompt bool) (string, error) {
	messages := make([]Message, len(turns))
	for i, turn := range turns {
		messages[i] = NewMessage(turn.Role, turn.Content)
	}
	return t.Render(Input{Messages: messages, AddGenerationPrompt: addGenerationPrompt})
}
