package native

import (
	"cmp"
	"context"
	"slices"

	"parley/engine"
)

// A session takes the requests of one net from their prompts to their ends. A step is one pass: a row for each request in flight,
// whatever its policy, and the prompts of those that just came in. As requests end, waiting ones take their place.
type session struct {
	*Engine
	net               *net
	batch             promptBatch
	waiting           []*request
	live              []*request
	cachesActivations bool // training follows, and there is room for what it would compute again
	reserved          int  // tokens that the live requests may come to hold, beside prefixes that were pinned before
}

// complete takes requests of one net, policy by policy, from their prompts to their ends.
func (e *Engine) complete(ctx context.Context, requests []*request) error {
	s := &session{Engine: e, net: requests[0].policy.net, batch: promptBatch{pass: &e.pass}, waiting: requests, cachesActivations: e.cachesActivations(requests)}
	e.prefixCache.limit = e.prefixCacheRoom(requests)
	for len(s.live) > 0 || len(s.waiting) > 0 {
		err := ctx.Err()
		if err == nil {
			err = s.step(ctx)
		}
		if i := slices.IndexFunc(requests, func(r *request) bool { return r.failed != nil }); err == nil && i >= 0 {
			err = requests[i].failed
		}
		if err != nil {
			e.activations.stale = true
			e.prefixCache.clear() // it has segments whose keys were not computed
			return err
		}
	}
	return nil
}

// step draws the next token of every request, and lets go of those that are done.
func (s *session) step(ctx context.Context) error {
	fresh := s.admit()
	s.live = slices.DeleteFunc(s.live, func(r *request) bool {
		turned := s.outgrown(r)
		if turned {
			old := r.prefix
			s.detach(r)
			s.prefixCache.prune(old, 0)
			s.attach(r)
			fresh = append(fresh, r)
		}
		return turned
	})
	b := &s.batch
	b.reset()
	if err := s.prefill(ctx, b, fresh); err != nil {
		return err
	}
	for _, r := range s.live {
		if err := s.advance(ctx, b, r); err != nil {
			return err
		}
	}
	if err := s.flush(ctx, b); err != nil {
		return err
	}
	if len(fresh) > 0 {
		s.live = append(s.live, fresh...)
		slices.SortStableFunc(s.live, func(a, b *request) int { return cmp.Compare(a.policyOrder, b.policyOrder) })
	}
	s.live = slices.DeleteFunc(s.live, func(r *request) bool {
		if !s.done(r) {
			return false
		}
		s.cacheCompletion(r)
		s.detach(r)
		return true
	})
	return nil
}

// admit takes as many waiting requests in as memory and a pass have room for, at least one where none is in flight.
func (s *session) admit() []*request {
	n, rows := 0, s.options.BatchTokens
	for ; n < len(s.waiting); n++ {
		r := s.waiting[n]
		need := s.prefixCache.unpinned(r.policy, r.Prompt, s.shape.Rope.Variant(len(r.Prompt))) + pageStep + pageCapacity(r.maxNew+pageTokens)
		if inFlight := len(s.live) + n; inFlight > 0 && (inFlight >= rows || s.reserved+need > s.prefixCache.limit) {
			break
		}
		r.reserved = need
		s.reserved += need
		s.attach(r)
	}
	fresh := s.waiting[:n:n]
	s.waiting = s.waiting[n:]
	return fresh
}

// attach puts a request's tokens into the prefix cache.
func (s *session) attach(r *request) {
	r.prefix = s.prefixCache.acquire(s.Engine, r.policy, r.tokens(), s.shape.Rope.Variant(r.length()), nil)
	r.base, r.leaf = r.prefix, r.prefix
}

// detach gives back what a request holds.
func (s *session) detach(r *request) {
	s.prefixCache.release(r.prefix)
	for g := r.leaf; g != r.base; g = g.parent {
		s.prefixCache.pages.release(g.page)
	}
	if r.leaf = nil; s.done(r) {
		s.reserved -= r.reserved
	}
}

// cacheCompletion takes a completion over into the prefix cache: the pages that it nearly fills as they are, the rest behind its prompt, or in a page
// that fits it exactly.
func (s *session) cacheCompletion(r *request) {
	s.adoptFullPages(r)
	if r.leaf == r.base {
		return
	}
	all := r.tokens()
	end := s.prefixCache.acquire(s.Engine, r.policy, all[:r.leaf.end()], r.leaf.variant, r.prefix)
	s.prefixCache.release(end)
	for g := r.leaf; g != r.base && end.computed < len(end.tokens); g = g.parent {
		from := max(g.start, end.start+end.computed)
		if n := g.end() - from; n > 0 {
			end.page.copyTokens(s.k, &s.shape, end.offset+from-end.start, g.page, from-g.start, n)
			end.page.copyCached(end.offset+from-end.start, g.page, from-g.start, n)
		}
	}
	end.computed = len(end.tokens)
}

// adoptFullPages makes the first segments of a completion a part of the prefix cache, as long as they nearly fill their pages, unless that goes on
// with the same token already.
func (s *session) adoptFullPages(r *request) {
	var own []*segment
	for g := r.leaf; g != r.base; g = g.parent {
		own = append(own, g)
	}
	for _, g := range slices.Backward(own) {
		if g.page.capacity-len(g.tokens) >= pageStep || r.base.child(g.tokens[0], g.variant) != nil {
			return
		}
		s.prefixCache.adopt(g)
		r.base = g
	}
}

// outgrown reports whether a request has outgrown the rotary frequencies of its cache. It starts anew then: all that is cached
// for it, not keys alone, follows from the frequencies.
func (s *session) outgrown(r *request) bool {
	return s.shape.Rope.Variant(r.length()) != r.leaf.variant
}

// advance adds the last token of a request to the batch.
func (s *session) advance(ctx context.Context, b *promptBatch, r *request) error {
	if b.pass.rows() >= s.options.BatchTokens {
		if err := s.flush(ctx, b); err != nil {
			return err
		}
	}
	if r.leaf.page == nil || len(r.leaf.tokens) > r.leaf.page.capacity {
		panic("internal error: a leaf without room")
	}
	if splits := s.prefixCache.forest.splits; r.pathOf != r.leaf || r.splits != splits {
		r.path, r.pathOf, r.splits = r.leaf.path(), r.leaf, splits
	}
	b.pass.addLeaf(r.policy, r.leaf, r.path)
	b.drawAfterLast(r)
	return nil
}

// sample runs the pass, and draws a token for each request from the distribution after its row.
func (s *session) sample(p *pass, requests []*request, rows []int) error {
	s.arena.reset()
	placed := placeForms(requests)
	c := s.compute(p)
	placed()
	h := &head{computation: c}
	for i := range requests {
		h.targets = append(h.targets, target{row: rows[i]})
	}
	v, keep := s.shape.Vocab, s.cachesLogits()
	before := s.arena.mark
	for lo := 0; lo < len(requests); lo += h.block() {
		n := min(len(requests)-lo, h.block())
		z := s.logits(n)
		s.k.Mul(z, h.gather(h.targets[lo:lo+n]), n, s.net.head.matrix, false)
		if c.bendsLogits() {
			s.k.Run(n, func(i int) { c.finishLogits(row(z, i, v)) })
		}
		if keep {
			s.activations.addLogits(z, rows[lo:lo+n])
		}
		errs := make([]error, n)
		s.k.Run(n, func(i int) {
			if r := requests[lo+i]; r.choose == nil {
				errs[i] = r.drawToken(c, row(z, i, v), keep)
			}
		})
		for i, r := range requests[lo : lo+n] {
			if r.choose != nil {
				errs[i] = r.chooseToken(c, row(z, i, v), keep)
			}
		}
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		s.arena.release(before)
	}
	for _, r := range requests {
		r.watch()
		s.extend(r)
		if r.onToken != nil {
			if err := r.onToken(r.sample.Tokens[len(r.sample.Tokens)-1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// cachesLogits reports whether logits stay as they are for the training that follows.
func (s *session) cachesLogits() bool { return s.cachesActivations && s.activations.logits }

// logits is room for those of n requests, [n, vocab].
func (s *session) logits(n int) []float32 {
	if s.cachesLogits() {
		return s.activations.arena.floats(n * s.shape.Vocab)
	}
	return s.arena.floats(n * s.shape.Vocab)
}

// compute takes the pass forward.
func (s *session) compute(p *pass) *computation {
	c := s.computation(s.net, p, s.cachesActivations)
	if s.cachesActivations {
		c.arena, c.recomputed = &s.activations.arena, 0
	}
	c.forward()
	s.Engine.computed.Sampled += p.rows()
	if s.cachesActivations {
		s.activations.add(c)
		c.arena = &s.arena
	}
	return c
}

// extend puts the token just drawn where the next step looks for it.
func (s *session) extend(r *request) {
	n := len(r.sample.Tokens)
	if s.done(r) {
		return
	}
	if r.leaf == r.prefix || len(r.leaf.tokens) == r.leaf.page.capacity {
		s.prefixCache.makeRoom(pageTokens)
		r.leaf = &segment{parent: r.leaf, start: r.leaf.end(), variant: r.leaf.variant, page: s.prefixCache.pages.get(&s.shape, s.net, pageTokens)}
	}
	r.leaf.tokens = append(r.leaf.tokens, r.sample.Tokens[n-1])
}

func (s *session) done(r *request) bool {
	return r.sample.Stop != engine.StopLength || len(r.sample.Tokens) >= r.maxNew
}
