package openai

import (
	"context"

	"parley/serve"
	"parley/serve/chatsession"
)

// parts are the events of texts of /v1/completions.
type parts struct {
	*completionTask
	*serve.Events
	said []spoken // by choice
}

// streamCompletions answers piece by piece.
func (s *Server) streamCompletions(ctx context.Context, t *completionTask, e *serve.Events) error {
	p := &parts{t, e, make([]spoken, len(t.prompts)*t.choices())}
	text := s.gate.FirstText()
	if err := p.begin(ctx); err != nil {
		return err
	}
	replies, err := s.completions(ctx, t, func(i int) listener { return p.listener(i, text) })
	if err != nil {
		return err
	}
	for i, r := range replies {
		if err := p.finish(ctx, i, r); err != nil {
			return err
		}
	}
	if t.usage() {
		if err := e.Send(t.body([]any{}, t.used(replies))); err != nil {
			return err
		}
	}
	return e.End()
}

// begin says the prompts, where they are to be repeated.
func (p *parts) begin(ctx context.Context) error {
	if err := p.score(ctx); err != nil {
		return ofPrompt(err)
	}
	for i := range p.said {
		e := p.echoed[i/p.choices()]
		p.said[i].length = e.end
		if !p.Echo {
			continue
		}
		c := p.piece(i, p.texts[i/p.choices()])
		if p.tops >= 0 {
			c["logprobs"] = e.tokens
		}
		if err := p.Send(p.body([]any{c}, nil)); err != nil {
			return err
		}
	}
	return nil
}

// byToken says that pieces have what was asked for about their tokens.
func (p *parts) byToken() bool { return p.tops >= 0 || p.ReturnTokenIDs }

// listener says what is heard of one text. heard is called with every piece.
func (p *parts) listener(i int, heard func()) listener {
	s := &p.said[i]
	l := listener{say: func(piece string) error {
		heard()
		switch {
		case !p.byToken():
			return p.Send(p.body([]any{p.piece(i, piece)}, nil))
		case p.tops > 0 || !s.weighs(): // it is said when all is known of its tokens, at the end
			return nil
		}
		from := s.told
		ids, logprobs := s.next(piece)
		var tokens textLogprobs
		tokens, s.length = p.named(ids, logprobs, s.length)
		return p.part(i, piece, tokens, from)
	}}
	if p.byToken() && p.tops <= 0 {
		l.token = s.note
	}
	return l
}

// piece is more of one text.
func (p *parts) piece(i int, text string) map[string]any {
	return map[string]any{"index": i, "text": text, "logprobs": nil, "finish_reason": nil}
}

// part is a piece with its tokens, those from one on.
func (p *parts) part(i int, text string, tokens textLogprobs, from int) error {
	c := p.piece(i, text)
	if p.tops >= 0 {
		c["logprobs"] = tokens
	}
	if p.ReturnTokenIDs {
		c["token_ids"] = tokens.ids
		if from == 0 {
			c["prompt_token_ids"] = p.prompts[i/p.choices()]
		}
	}
	return p.Send(p.body([]any{c}, nil))
}

// finish says what is left of a text, and why it ended.
func (p *parts) finish(ctx context.Context, i int, r chatsession.Reply) error {
	if s := &p.said[i]; p.byToken() {
		all, err := p.logprobs(ctx, i, r)
		if err != nil {
			return err
		}
		for j, piece := range s.rest(p.writer.Speaker().Model.Tokenizer.Stream().Push, r.Drawn.Tokens, r.Text) {
			at := s.told + j
			if err := p.part(i, piece, all.cut(at, at+1), at); err != nil {
				return err
			}
		}
	}
	end := p.piece(i, "")
	end["finish_reason"] = finishOf(r)
	return p.Send(p.body([]any{end}, nil))
}
