// Package chat renders conversations to the text that a model was trained on, with the chat template that comes with the
// model.
//
// Chat templates are programs in the language Jinja, which package [jinja] runs the way Hugging Face transformers does, so that
// the text is the same byte for byte. This package gives the programs their variables:
//
//	load.go      where a model's template is: [LoadFS] a folder, [FromGGUF] a GGUF file, else [ChatML]
//	chat.go      [Parse], and a conversation as the [Template]'s variables; [Template.Text] for plain roles and texts
//	input.go     a conversation as JSON
//	calls.go     a conversation with calls of functions, in the style that the template wants
//	messages.go  what transformers does to messages before: names of the reasoning, a last message that goes on
//	content.go   where content is in the text that comes out
//	turns.go     which part of a text the assistant wrote, and whether later turns repeat earlier ones
package chat

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
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
	Tokens map[string]string // that the template may print, by their names, such as bos_token; others are undefined in it
	Dated  bool              // it may print the time, by strftime_now

	program *jinja.Template
	source  string         // of the program
	missing error          // why there is no program
	tools   *toolsTemplate // for conversations with tools; nil: as all others

	once  sync.Once
	style *callStyle // of messages with calls; nil once it was looked for: the template prints none
}

// A toolsTemplate is the template that a model has beside its default for conversations with tools, or why it cannot be used.
type toolsTemplate struct {
	program *jinja.Template
	source  string
	err     error
}

// ToolSource is the text of the template that conversations with tools are rendered with; empty: there is none.
func (t *Template) ToolSource() string {
	if t.tools != nil {
		return t.tools.source
	}
	return t.source
}

// choose returns the program for an input and its text: transformers takes the one that is named tool_use where tools are given, even none.
func (t *Template) choose(in Input) (program *jinja.Template, source string, err error) {
	if in.Tools != nil && t.tools != nil {
		if t.tools.err != nil {
			return nil, "", fmt.Errorf("template %s: %w", withTools, t.tools.err)
		}
		return t.tools.program, t.tools.source, nil
	}
	return t.program, t.source, t.missing
}

// Parse reads a template.
func Parse(source string) (*Template, error) {
	program, err := jinja.Parse(source)
	if err != nil {
		return nil, err
	}
	return &Template{program: program, source: source, Dated: strings.Contains(source, "strftime_now")}, nil
}

// Render returns the text of a conversation. A refusal by the template is a [*jinja.RaisedError] inside of the error.
func (t *Template) Render(in Input) (string, error) {
	text, _, err := t.RenderWithMask(in)
	return text, err
}

// RenderWithMask is Render, and tells what of the text the assistant wrote: the generation blocks of templates that have
// them, in order.
func (t *Template) RenderWithMask(in Input) (text string, assistant []jinja.Span, err error) {
	program, source, err := t.choose(in)
	if err != nil {
		return "", nil, err
	}
	in.Messages = fillReasoning(in.Messages)
	var final string
	if in.ContinueFinal {
		if in.Messages, final, err = markFinal(in.Messages, source); err != nil {
			return "", nil, err
		}
	}
	text, assistant, err = program.Render(t.variables(in), in.Now)
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
	for _, name := range slices.Sorted(maps.Keys(t.Tokens)) {
		v.Set(name, t.Tokens[name])
	}
	for name, text := range map[string]string{"bos_token": in.BOS, "eos_token": in.EOS} {
		if text != "" {
			v.Set(name, text)
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

// A Role says who speaks, in the words of chat templates: system, user, assistant.
type Role string

// A Turn is a message: a role and a text, and what belongs to calls of functions.
type Turn struct {
	Role       Role   `json:"role"`
	Content    string `json:"content"`
	Name       string `json:"name,omitempty"`         // of who speaks; few templates print it
	ToolCalls  []Call `json:"tool_calls,omitempty"`   // of the assistant
	ToolCallID string `json:"tool_call_id,omitempty"` // of a tool: which call its text is the result of
}

// Equal compares turns.
func (t Turn) Equal(u Turn) bool {
	return t.Role == u.Role && t.Content == u.Content && t.Name == u.Name && t.ToolCallID == u.ToolCallID && slices.Equal(t.ToolCalls, u.ToolCalls)
}

// Text renders turns; addGenerationPrompt asks for the beginning of the assistant's answer at the end.
func (t *Template) Text(turns []Turn, addGenerationPrompt bool) (string, error) {
	return t.Render(Input{Messages: messages(turns, callStyle{}), AddGenerationPrompt: addGenerationPrompt})
}
