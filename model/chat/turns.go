package chat

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"parley/model/chat/jinja"
)

// ErrRewrites is wrapped by errors about templates that print an earlier part of a conversation in another way once it goes on.
var ErrRewrites = errors.New("the template prints earlier turns in another way once the conversation goes on")

// CheckPrefix reports whether the prompt of a later turn begins with the prompt of an earlier one and its answer. The error wraps
// [ErrRewrites] where it does not: for answers with a reasoning part, which many templates drop from earlier turns, or for all.
func (t *Template) CheckPrefix() error {
	for _, probe := range []struct{ answer, what string }{
		{"Yes.", "answers"},
		{"<think>\nIs it?\n</think>\n\nYes.", "the reasoning of answers"},
	} {
		turns := []Turn{{Role: "user", Content: "Is it?"}, {Role: "assistant", Content: probe.answer}, {Role: "user", Content: "Sure?"}}
		before, err := t.Text(turns[:1], true)
		if err != nil {
			return err
		}
		after, err := t.Text(turns, true)
		if err != nil {
			return err
		}
		if !strings.HasPrefix(after, before+probe.answer) {
			return fmt.Errorf("%w: it changes or drops %s", ErrRewrites, probe.what)
		}
	}
	return nil
}

// RenderTurns is RenderWithMask for any template: where it has no generation blocks, an assistant's turn is what stands between
// the prompt that asks for it and the end of the conversation up to it, without the white space behind. A template that rewrites
// what it printed before cannot be compared so; the error then wraps [ErrRewrites] and names the message.
func (t *Template) RenderTurns(in Input) (text string, assistant []jinja.Span, err error) {
	text, assistant, err = t.RenderWithMask(in)
	if err != nil || len(assistant) > 0 {
		return text, assistant, err
	}
	for i, m := range in.Messages {
		if role, _ := m.Get("role"); role != "assistant" {
			continue
		}
		start, err := t.prefix(in, i, true, text)
		if err != nil {
			return "", nil, err
		}
		end, err := t.prefix(in, i+1, false, text)
		if err != nil {
			return "", nil, err
		}
		turn := jinja.Span{Start: start, End: start + len(strings.TrimRightFunc(text[start:max(start, end)], jinja.IsSpace))}
		assistant = append(assistant, turn)
	}
	return text, assistant, nil
}

// prefix returns how much of text the first n messages are.
func (t *Template) prefix(in Input, n int, prompt bool, text string) (int, error) {
	part := in
	part.Messages, part.AddGenerationPrompt, part.ContinueFinal = in.Messages[:n], prompt, in.ContinueFinal && n == len(in.Messages)
	begin, err := t.Render(part)
	if err != nil {
		return 0, fmt.Errorf("the conversation up to message %d: %w", n, err)
	}
	if !strings.HasPrefix(text, begin) || !utf8.RuneStart((text + "x")[len(begin)]) {
		return 0, fmt.Errorf("message %d: %w", n, ErrRewrites)
	}
	return len(begin), nil
}
