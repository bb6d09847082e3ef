package native

import (
	"context"
	"slices"

	"parley/engine"
)

// complete takes requests of one net from their prompts to their ends.
func (e *Engine) complete(ctx context.Context, live []*request) error {
	s := &session{Engine: e, net: live[0].policy.net}
	defer s.close()
	if err := s.prefill(ctx, live); err != nil {
		return err
	}
	for {
		live = slices.DeleteFunc(live, s.done)
		if len(live) == 0 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.step(ctx, live); err != nil {
			return err
		}
	}
}

// step draws the next token of every request. Those whose rotary frequencies change with their length start anew: all that
// is cached for them, not keys alone, follows from the frequencies.
func (s *session) step(ctx context.Context, live []*request) error {
	if !slices.ContainsFunc(live, s.turned) {
		return s.advance(live)
	}
	var same, turned []*request
	for _, r := range live {
		if s.turned(r) {
			turned = append(turned, r)
		} else {
			same = append(same, r)
		}
	}
	if len(same) > 0 {
		if err := s.advance(same); err != nil {
			return err
		}
	}
	err := s.prefill(ctx, turned)
	s.sweep(live)
	return err
}

// turned reports whether a request has outgrown the rotary frequencies of its cache.
func (s *session) turned(r *request) bool { return s.config.Rope.variant(r.length()) != r.leaf.variant }

// sweep gives back the pages that no request sees any more.
func (s *session) sweep(live []*request) {
	seen := map[*page]bool{}
	for _, r := range live {
		for g := r.leaf; g != nil; g = g.parent {
			seen[g.page] = true
		}
	}
	s.pages = slices.DeleteFunc(s.pages, func(p *page) bool {
		if !seen[p] {
			s.Engine.pages.put(p)
		}
		return !seen[p]
	})
}

// A session holds the key-value pages of requests in flight.
type session struct {
	*Engine
	net   *net
	pages []*page // of prompts; a request's own are on its leaves
}

// page gives s room for its tokens.
func (s *session) page(g *segment, tokens int) {
	g.page = s.Engine.pages.get(&s.config, tokens)
	s.pages = append(s.pages, g.page)
}

func (s *session) close() {
	for _, p := range s.pages {
		s.Engine.pages.put(p)
	}
}

// A batchOfPrompts is a pass that fills up with prompts, and the requests whose prompts end in it.
type batchOfPrompts struct {
	pass  *pass
	ready []*request
	rows  []int // of the last token of each ready request's prompt
}

// prefill computes every distinct prefix of the requests' tokens once, and draws the next token of each.
func (s *session) prefill(ctx context.Context, requests []*request) error {
	var f forest
	ends := make([]*segment, len(requests))
	for i, r := range requests {
		ends[i] = f.insert(r.policy, r.tokens(), s.config.Rope.variant(r.length()))
	}
	waiting := map[*segment][]*request{}
	for i, r := range requests {
		r.leaf, r.own = ends[i], false
		waiting[r.leaf] = append(waiting[r.leaf], r)
	}
	b := &batchOfPrompts{pass: &pass{}}
	var err error
	f.walk(func(p *policy, g *segment) {
		if err == nil {
			err = s.prefillSegment(ctx, b, p, g, waiting[g])
		}
	})
	if err != nil {
		return err
	}
	return s.flush(ctx, b)
}

// prefillSegment adds a segment to the batch, in pieces where it does not fit.
func (s *session) prefillSegment(ctx context.Context, b *batchOfPrompts, p *policy, g *segment, waiting []*request) error {
	s.page(g, len(g.tokens))
	for from := 0; from < len(g.tokens); {
		if b.pass.rows() == s.options.BatchTokens {
			if err := s.flush(ctx, b); err != nil {
				return err
			}
		}
		n := min(len(g.tokens)-from, s.options.BatchTokens-b.pass.rows())
		b.pass.add(p, g, from, n)
		from += n
	}
	for _, r := range waiting {
		b.ready, b.rows = append(b.ready, r), append(b.rows, b.pass.rows()-1)
	}
	return nil
}

// flush computes the batch, draws for its ready requests, and empties it.
func (s *session) flush(ctx context.Context, b *batchOfPrompts) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := s.draw(b.pass, b.ready, b.rows)
	*b = batchOfPrompts{pass: &pass{}}
	return err
}

// advance runs the last token of every request through the net and draws the next one.
func (s *session) advance(live []*request) error {
	p, rows := &pass{}, make([]int, len(live))
	for i, r := range live {
		if r.leaf.page == nil || len(r.leaf.tokens) > r.leaf.page.room {
			panic("internal error: a leaf without room")
		}
		p.add(r.policy, r.leaf, len(r.leaf.tokens)-1, 1)
		rows[i] = i
	}
	return s.draw(p, live, rows)
}

// draw runs the pass, and draws a token for each request from the distribution after its row.
func (s *session) draw(p *pass, requests []*request, rows []int) error {
	s.arena.reset()
	c := s.computation(s.net, p, false)
	c.forward()
	h := &head{computation: c}
	for i := range requests {
		h.asks = append(h.asks, ask{row: rows[i]})
	}
	v := s.config.Vocab
	before := s.arena.mark
	for lo := 0; lo < len(requests); lo += h.block() {
		n := min(len(requests)-lo, h.block())
		z := s.arena.floats(n * v)
		s.k.Mul(z, h.gather(h.asks[lo:lo+n]), n, s.net.head.matrix, false)
		errs := make([]error, n)
		s.k.Run(n, func(i int) { errs[i] = requests[lo+i].draw(c, row(z, i, v)) })
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		s.arena.release(before)
	}
	for _, r := range requests {
		s.extend(r)
		if r.drawn != nil {
			if err := r.drawn(r.sample.Tokens[len(r.sample.Tokens)-1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// extend puts the token just drawn where the next step looks for it.
func (s *session) extend(r *request) {
	n := len(r.sample.Tokens)
	if s.done(r) {
		return
	}
	if !r.own || len(r.leaf.tokens) == r.leaf.page.room {
		r.leaf, r.own = &segment{parent: r.leaf, start: r.leaf.end(), variant: r.leaf.variant}, true
		s.page(r.leaf, pageTokens)
	}
	r.leaf.tokens = append(r.leaf.tokens, r.sample.Tokens[n-1])
}

func (s *session) done(r *request) bool {
	return r.sample.Stop == engine.StopEOS || len(r.sample.Tokens) >= r.limit
}
