package native

import (
	"slices"

	"parley/engine"
)

// An activationCache holds what sampling computed for requests that training follows. A token's activations are one chain, so training would
// compute the same bits again: a pass of training all of whose rows are kept has no forward pass through the layers. Its head has no
// product with the hidden states either, where the logits are kept that tokens were drawn by, for which there must be more room.
//
// What is kept belongs to segments of the prefix cache, whose pages say where it is, and is valid as long as they are. All of it goes together: the first sampling
// after a policy has changed begins anew.
type activationCache struct {
	arena  arena
	passes []*cachedPass
	used   int  // values of all passes
	logits bool // there is room for those too
	stale  bool // a policy has changed since, or a session failed
}

// A cachedPass is one pass of sampling.
type cachedPass struct {
	layers  []*activations
	output  []float32   // [rows, hidden] after the last layer
	logits  [][]float32 // [rows][vocab] where tokens were drawn; nil: not kept
	runs    []run
	rows    int
	evicted bool // its memory is used for something else
}

// A cachedRow is a row of a pass; the zero value: nothing is cached.
type cachedRow struct {
	pass *cachedPass
	row  int
}

func (r cachedRow) present() bool { return r.pass != nil && !r.pass.evicted }

// reset lets everything go.
func (k *activationCache) reset() {
	for _, p := range k.passes {
		p.evicted = true
	}
	clear(k.passes)
	k.passes, k.used, k.stale = k.passes[:0], 0, false
	k.arena.reset()
}

// close lets everything go and gives its memory back. The next sampling that keeps begins anew.
func (k *activationCache) close() {
	k.reset()
	k.arena.close()
	k.stale = true
}

// add takes over what c computed, which is in the cache's arena, and tells the pages of the prefix cache.
func (k *activationCache) add(c *computation) {
	p := &cachedPass{layers: c.saved, output: c.output, runs: append([]run(nil), c.pass.runs...), rows: c.pass.rows()}
	k.passes = append(k.passes, p)
	k.used += p.rows * c.shape.sizing(c.pass.ranks()).cachedFloats()
	for i := range c.pass.chunks {
		ch := &c.pass.chunks[i]
		kept := ch.page.cachedRows()
		for j := range ch.n {
			kept[ch.offset+ch.from+j] = cachedRow{p, ch.row + j}
		}
	}
}

// addLogits takes over logits z, [requests, vocab] in the cache's arena, that tokens are drawn by after rows of the last pass.
func (k *activationCache) addLogits(z []float32, rows []int) {
	p := k.passes[len(k.passes)-1]
	if p.logits == nil {
		p.logits = make([][]float32, p.rows)
	}
	for i, r := range rows {
		if p.logits[r] == nil { // several draw after the last token of a prompt
			p.logits[r] = row(z, i, len(z)/len(rows))
		}
	}
	k.used += len(z)
}

// cachedFloats is how many values are kept for a row of sampling.
func (c sizing) cachedFloats() int { return c.Layers*c.layerFloats() + 3*c.Hidden }

// cachesActivations reports whether what the requests of one net compute is to be kept: where training follows all of them, and there is room for
// all even if no answer ends early. A value head reads the state after the last token too, which sampling does not compute.
func (e *Engine) cachesActivations(requests []*request) bool {
	for _, r := range requests {
		if !r.ReuseInBackward || r.policy.value != nil || len(r.policy.params) == 0 || e.outgrows(r) {
			return false
		}
	}
	if e.activations.stale {
		e.activations.reset()
		for _, p := range slices.Clone(e.prefixCache.forest.policies) {
			e.prefixCache.forget(p) // what an evaluation left there is not kept, and may begin these prompts
		}
	}
	var r ranks
	for _, q := range requests {
		r = r.max(q.policy.ranks)
	}
	tokens := e.mostNewTokens(requests)
	activations, logits := e.shape.sizing(r).cachedBytes(tokens)
	room := e.activationCacheRoom(activations+logits, tokens)
	e.activations.logits = activations+logits <= room
	return activations <= room
}

// outgrows reports whether a request may outgrow its rotary frequencies: all of its tokens are computed anew then, token by token.
func (e *Engine) outgrows(r *request) bool {
	n := len(r.Prompt)
	return e.shape.Rope.Variant(n) != e.shape.Rope.Variant(n+r.maxNew-1)
}

// mostNewTokens is how many tokens the requests add to the prefix cache if no answer ends early.
func (e *Engine) mostNewTokens(requests []*request) int {
	tokens := 0
	for i, r := range requests {
		if i == 0 || !requests[i-1].samePrompt(r) {
			tokens += e.prefixCache.forest.missing(r.policy, r.Prompt, e.shape.Rope.Variant(len(r.Prompt))) + 1
		}
		tokens += r.maxNew
	}
	return tokens
}

// samePrompt reports whether both complete the same prompt.
func (r *request) samePrompt(q *request) bool {
	return r.policy == q.policy && len(r.Prompt) == len(q.Prompt) && common(r.Prompt, q.Prompt) == len(q.Prompt)
}

func (o *settings) reuseMemory() int64 {
	if o.ReuseMemory == 0 {
		return engine.DefaultReuseMemory
	}
	return max(0, o.ReuseMemory)
}

// Keeps reports whether all that a load samples is kept for the training that follows, beside policies with such specs, and whether its
// logits are. Tokens that are sampled with a value head are not kept; the load does not count them.
func (p *Plan) Keeps(l engine.Load, specs []engine.PolicySpec) (activations, logits bool) {
	a, z := p.shape.sizing(p.shape.ranksOf(specs)).cachedBytes(l.ReusedTokens)
	room := float64(p.options.reuseMemory())
	return l.ReusedTokens > 0 && a <= room, l.ReusedTokens > 0 && a+z <= room
}

// cachedBytes is what so many tokens take that sampling keeps: their activations, and logits for each.
func (c sizing) cachedBytes(tokens int) (activations, logits float64) {
	n := floatBytes * float64(tokens)
	return n * float64(c.cachedFloats()), n * float64(c.Vocab)
}

// cachedRows says where the activations of the page's tokens are kept, [capacity].
func (p *page) cachedRows() []cachedRow {
	if p.cached == nil {
		p.cached = make([]cachedRow, p.capacity)
	}
	return p.cached
}

// cachedFrom is cachedRows from a token on; nil: no activations of the page are kept.
func (p *page) cachedFrom(token int) []cachedRow {
	if p.cached == nil {
		return nil
	}
	return p.cached[token:]
}

// copyCached is copyTokens for the cached activations.
func (p *page) copyCached(to int, q *page, from, n int) {
	if q.cached != nil {
		copy(p.cachedRows()[to:], q.cached[from:from+n])
	}
}

// cachedRows writes to rows where those of a chunk of data are kept, and reports whether all are.
func (t *prefixCache) cachedRows(p *policy, ch *chunk, rows []cachedRow) bool {
	var tokens []int
	for _, g := range ch.path {
		tokens = append(tokens, g.tokens...)
	}
	g, matched, rest := t.forest.find(p, tokens[:ch.start+ch.from+ch.n], ch.variant)
	if len(rest) > 0 {
		return false
	}
	for n := ch.n; n > 0; g, matched = g.parent, len(g.parent.tokens) {
		if g.page == nil || g.page.cached == nil {
			return false
		}
		for ; matched > 0 && n > 0; matched, n = matched-1, n-1 {
			rows[n-1] = g.page.cached[g.offset+matched-1]
			if !rows[n-1].present() {
				return false
			}
		}
	}
	return true
}

// cachedRows says where all rows of a pass are kept; nil: not all are.
func (e *Engine) cachedRows(p *pass) []cachedRow {
	if len(e.activations.passes) == 0 {
		return nil
	}
	rows := make([]cachedRow, p.rows())
	for _, r := range p.runs {
		for i := p.chunkOf(r.from); i < len(p.chunks) && p.chunks[i].row < r.to; i++ {
			ch := &p.chunks[i]
			if !e.prefixCache.cachedRows(r.policy, ch, rows[ch.row:ch.row+ch.n]) {
				return nil
			}
		}
	}
	return rows
}
