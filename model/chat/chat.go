// Package chat renders conversations to the text that a model was trained on, with the chat template that comes with the
// model.
//
// Chat templates are programs in the language Jinja. [Parse] reads the part of Jinja that such templates use, and
// [Template.Render] runs it the way Hugging Face transformers does (a sandbox, trim_blocks and lstrip_blocks on, lenient
// undefined values), so that the text is the same byte for byte. What is not supported is an error that names the line,
// never missing text.
//
// Templates come from strangers: they can read what they are given and write text, nothing else, and a rendering that
// takes too many steps, nests too deeply or writes too much ends with an error.
//
// For plain conversations of roles and texts there is [Template.Text].
package chat

import (
	"fmt"
	"strings"
	"time"
)

// A Message is one entry of a conversation: role, content, and whatever else the template knows (tool_calls, name,
// reasoning_content, ...). The order of its keys can show in the text.
type Message = *Object

// An Input is what a template is given.
type Input struct {
	Messages []Message
	Tools    []any // nil: no tools; an empty list is something else
	// AddGenerationPrompt asks for the beginning of an answer at the end.
	AddGenerationPrompt bool
	// ContinueFinal leaves the last message open, so that a model goes on with it.
	ContinueFinal bool
	BOS, EOS      string    // bos_token and eos_token; empty: those of the template
	Extra         *Object   // further variables, such as enable_thinking
	Now           time.Time // for strftime_now; the zero value is the zero time
}

// A Span is a range of bytes [Start, End).
type Span struct{ Start, End int }

// A Template is a parsed chat template. It may be used concurrently.
type Template struct {
	BOS, EOS string // tokens that the template may print; empty ones are undefined in it

	body []stmt
}

// An Error is a template that cannot be read or run, with the line where.
type Error struct {
	Line int
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("chat template: line %d: %v", e.Line, e.Err) }
func (e *Error) Unwrap() error { return e.Err }

// A RaisedError is the template's own refusal of a conversation, by raise_exception(message).
type RaisedError struct{ Message string }

func (e *RaisedError) Error() string { return e.Message }

// Parse reads a template.
func Parse(source string) (*Template, error) {
	body, err := parse(source)
	if err != nil {
		return nil, err
	}
	return &Template{body: body}, nil
}

// Render returns the text of a conversation. A refusal by the template is a [*RaisedError] inside of the error.
func (t *Template) Render(in Input) (string, error) {
	text, _, err := t.RenderWithMask(in)
	return text, err
}

// RenderWithMask is Render, and tells what of the text the assistant wrote: the generation blocks of templates that have
// them, in order.
func (t *Template) RenderWithMask(in Input) (text string, assistant []Span, err error) {
	in.Messages = fillReasoning(in.Messages)
	var final string
	if in.ContinueFinal {
		if in.Messages, final, err = markFinal(in.Messages); err != nil {
			return "", nil, err
		}
	}
	out := &strings.Builder{}
	r := &run{out: out, text: out, now: in.Now}
	if err := r.exec(t.body, t.variables(in)); err != nil {
		return "", nil, err
	}
	text = out.String()
	if in.ContinueFinal {
		if text, err = cutFinal(text, final); err != nil {
			return "", nil, err
		}
	}
	return text, clip(r.spans, len(text)), nil
}

// variables is the outermost scope.
func (t *Template) variables(in Input) *scope {
	s := &scope{}
	for name, tokens := range map[string][2]string{"bos_token": {in.BOS, t.BOS}, "eos_token": {in.EOS, t.EOS}} {
		if tokens[0] != "" {
			s.set(name, tokens[0])
		} else if tokens[1] != "" {
			s.set(name, tokens[1])
		}
	}
	s.set("messages", convert(in.Messages))
	s.set("tools", nil)
	if in.Tools != nil {
		s.set("tools", convert(in.Tools))
	}
	s.set("documents", nil)
	s.set("add_generation_prompt", in.AddGenerationPrompt)
	for _, key := range in.Extra.Keys() {
		v, _ := in.Extra.Get(key)
		s.set(key, v)
	}
	return s
}

// clip drops what lies behind the end of the text, which [Input.ContinueFinal] moves.
func clip(spans []Span, end int) []Span {
	for i := range spans {
		spans[i] = Span{min(spans[i].Start, end), min(spans[i].End, end)}
	}
	return spans
}

// A Turn is a message that is only a role and a text.
type Turn struct{ Role, Content string }

// Text renders turns; addGenerationPrompt asks for the beginning of the assistant's answer at the end.
func (t *Template) Text(turns []Turn, addGenerationPrompt bool) (string, error) {
	messages := make([]Message, len(turns))
	for i, turn := range turns {
		messages[i] = NewObject("role", turn.Role, "content", turn.Content)
	}
	return t.Render(Input{Messages: messages, AddGenerationPrompt: addGenerationPrompt})
}
