package openai

import (
	"context"

	"parley/serve"
)

// streamed answers piece by piece.
func (s *Server) streamed(ctx context.Context, t *chatTask, c *chunks) error {
	for i := range t.choices() {
		if err := c.delta(i, map[string]any{"role": "assistant", "content": ""}); err != nil {
			return err
		}
	}
	text := s.gate.FirstText()
	answers, err := s.answers(ctx, t, func(i int) serve.Listener {
		var speaker any // who is announced with the next text
		return serve.Listener{
			Turn: func(agent string, turn int) error {
				speaker = map[string]any{"agent": agent, "turn": turn}
				return nil
			},
			Reason: func(piece string) error {
				text()
				delta := map[string]any{"reasoning_content": piece, "reasoning": piece}
				if speaker != nil {
					delta["parley"], speaker = speaker, nil
				}
				return c.delta(i, delta)
			},
			Say: func(piece string) error {
				text()
				if t.tops >= 0 || piece == "" { // said with its log-probabilities at the end
					return nil
				}
				return c.delta(i, map[string]any{"content": piece})
			},
		}
	})
	if err != nil {
		return err
	}
	for i, a := range answers {
		if err := c.finish(ctx, i, a); err != nil {
			return err
		}
	}
	if t.usage() {
		if err := c.send(c.chunk([]any{}, usageOf(answers))); err != nil {
			return err
		}
	}
	return c.end()
}

// chunks are the events of a chat completion.
type chunks struct {
	*chatTask
	*events
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
	return c.send(c.chunk([]any{map[string]any{"index": i, "delta": delta, "logprobs": nil, "finish_reason": nil}}, nil))
}

// finish says what is left of a choice, and why it ended.
func (c *chunks) finish(ctx context.Context, i int, a serve.Answer) error {
	probabilities, err := c.logprobs(ctx, a)
	if err != nil {
		return err
	}
	if probabilities != nil {
		piece := map[string]any{"index": i, "delta": map[string]any{"content": a.Text}, "logprobs": probabilities, "finish_reason": nil}
		if err := c.send(c.chunk([]any{piece}, nil)); err != nil {
			return err
		}
	}
	return c.send(c.chunk([]any{map[string]any{"index": i, "delta": map[string]any{}, "logprobs": nil, "finish_reason": finish(a)}}, nil))
}
