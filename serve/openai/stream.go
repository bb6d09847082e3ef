package openai

import (
	"context"
	"slices"

	"parley/model/chat"
	"parley/serve"
)

// streamed answers piece by piece.
func (s *Server) streamed(ctx context.Context, t *chatTask, c *chunks) error {
	for i := range t.choices() {
		if err := c.delta(i, map[string]any{"role": "assistant", "content": ""}); err != nil {
			return err
		}
	}
	text, said := s.gate.FirstText(), make([]spoken, t.choices())
	answers, err := s.answers(ctx, t, func(i int) serve.Listener { return c.listener(i, &said[i], text) })
	if err != nil {
		return err
	}
	for i, a := range answers {
		if err := c.finish(ctx, i, a, &said[i]); err != nil {
			return err
		}
	}
	if t.usage() {
		if err := c.Send(c.chunk([]any{}, usageOf(answers))); err != nil {
			return err
		}
	}
	return c.End()
}

// chunks are the events of a chat completion.
type chunks struct {
	*chatTask
	*serve.Events
}

// chunk is one event.
func (c *chunks) chunk(choices []any, usage any) any {
	body := map[string]any{
		"id": c.id, "object": "chat.completion.chunk", "created": c.created, "model": c.model.ID,
		"system_fingerprint": c.model.Fingerprint, "choices": choices,
	}
	if c.usage() {
		body["usage"] = usage
	}
	return body
}

// delta is a piece of one choice.
func (c *chunks) delta(i int, delta map[string]any) error {
	return c.Send(c.chunk([]any{map[string]any{"index": i, "delta": delta, "logprobs": nil, "finish_reason": nil}}, nil))
}

// listener says what is heard of one choice. heard is called with every text.
func (c *chunks) listener(i int, s *spoken, heard func()) serve.Listener {
	var speaker any // who is announced with the next text
	l := serve.Listener{
		Turn: func(agent string, turn int) error {
			speaker = map[string]any{"agent": agent, "turn": turn}
			return nil
		},
		Reason: func(piece string) error {
			heard()
			delta := map[string]any{"reasoning_content": piece, "reasoning": piece}
			if speaker != nil {
				delta["parley"], speaker = speaker, nil
			}
			return c.delta(i, delta)
		},
		Say: func(piece string) error {
			heard()
			switch {
			case piece == "":
				return nil
			case c.tops < 0:
				return c.delta(i, map[string]any{"content": piece})
			case c.tops > 0 || !s.weighs(): // it is said when its log-probabilities are known, at the end
				return nil
			}
			ids, logprobs := s.next(piece)
			tokens := make([]drawnToken, len(ids))
			for j, id := range ids {
				tokens[j] = tokenOf(c.model.Answerer.(serve.Writer), id, logprobs[j])
			}
			return c.weighed(i, piece, tokens)
		},
	}
	l.Call = func(call chat.Call) error {
		heard()
		piece := map[string]any{"index": 0, "function": map[string]any{"arguments": call.Arguments}}
		if call.Name != "" {
			piece = callsOf(serve.Answer{Calls: []chat.Call{call}})[0]
			piece["index"] = 0
		}
		return c.delta(i, map[string]any{"tool_calls": []any{piece}})
	}
	if c.tops == 0 {
		ends := c.model.Answerer.(serve.Writer).Speaker().Model.Stop()
		l.Token = func(id int, logprob float32) {
			if !slices.Contains(ends, id) {
				s.note(id, logprob)
			}
		}
	}
	return l
}

// weighed is a piece of one choice with the log-probabilities of its tokens.
func (c *chunks) weighed(i int, piece string, tokens []drawnToken) error {
	choice := map[string]any{"index": i, "delta": map[string]any{"content": piece}, "logprobs": logprobsOf(tokens), "finish_reason": nil}
	return c.Send(c.chunk([]any{choice}, nil))
}

// finish says what is left of a choice, and why it ended.
func (c *chunks) finish(ctx context.Context, i int, a serve.Answer, s *spoken) error {
	if c.tops >= 0 {
		tokens, err := c.probables(ctx, a)
		if err != nil {
			return err
		}
		w := c.model.Answerer.(serve.Writer)
		for j, piece := range s.rest(w.Speaker().Model.Tokenizer.Stream().Push, a.Drawn.Tokens[:len(tokens)], a.Text) {
			at := s.told + j
			if err := c.weighed(i, piece, tokens[at:at+1]); err != nil {
				return err
			}
		}
	}
	if len(a.Calls) > 0 && len(c.question.Forced) == 0 { // forced ones were told as they came
		calls := callsOf(a)
		for j := range calls {
			calls[j]["index"] = j // by which clients put pieces together
		}
		if err := c.delta(i, map[string]any{"tool_calls": calls}); err != nil {
			return err
		}
	}
	return c.Send(c.chunk([]any{map[string]any{"index": i, "delta": map[string]any{}, "logprobs": nil, "finish_reason": finish(a)}}, nil))
}
