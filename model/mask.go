package model

import (
	"errors"

	"parley/model/chat"
	"parley/model/chat/jinja"
)

// ErrNotReversible is wrapped by the error of [Model.Mask] for a text that its tokens do not give back.
var ErrNotReversible = errors.New("the tokenizer does not give the text back: places in the text cannot be found in the tokens")

// Mask renders a conversation as token ids [n] and tells of each token [n] whether the assistant wrote it: by the template's
// generation blocks, else by comparing prompts (see [chat.Template.RenderTurns]). A token that begins in a turn belongs to it.
func (m *Model) Mask(in chat.Input) (ids []int, mask []bool, err error) {
	if m.template.chat == nil {
		return nil, nil, chat.ErrNoTemplate
	}
	text, turns, err := m.template.chat.RenderTurns(in)
	if err != nil {
		return nil, nil, err
	}
	if ids, err = m.PromptOf(in); err != nil {
		return nil, nil, err
	}
	mask = make([]bool, len(ids))
	stream := m.Tokenizer.Stream()
	stream.KeepSpecial = true
	// at is where the first token of those that are still held back begins: tokens that share a character begin with it.
	at, held, back := 0, 0, ""
	for i, id := range ids {
		piece := stream.Push(id)
		if i == len(ids)-1 {
			piece += stream.Flush()
		}
		if piece == "" {
			continue
		}
		for ; held <= i; held++ {
			mask[held] = within(turns, at)
		}
		back += piece
		at = len(back)
	}
	if back != text {
		return nil, nil, ErrNotReversible
	}
	return ids, mask, nil
}

// within reports whether a place lies in one of the spans.
func within(spans []jinja.Span, at int) bool {
	for _, s := range spans {
		if at >= s.Start && at < s.End {
			return true
		}
	}
	return false
}

// CheckPrefix reports whether prompts of later turns begin with earlier prompts and their answers; see
// [chat.Template.CheckPrefix]. Models without a template print what was said as it is.
func (m *Model) CheckPrefix() error {
	if m.template.chat == nil {
		return nil
	}
	return m.template.chat.CheckPrefix()
}
