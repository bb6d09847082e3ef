package native

import (
	"slices"

	"parley/engine"
)

// A keeper holds what sampling computed for requests that training follows. A token's activations are one chain, so training would
// compute the same bits again: a pass of training all of whose rows are kept has no way forward through the layers. Its head has no
// product with the hidden states either, where the logits are kept that tokens were drawn by, for which there must be more room.
//
// What is kept belongs to text, whose pages say where it is, and is valid as long as that. All of it goes together: the first sampling
// after a policy has changed begins anew.
type keeper struct {
	arena  arena
	passes []*keptPass
	used   int  // values of all passes
	logits bool // there is room for those too
	over   bool // a policy has changed since, or a session failed
}

// A keptPass is one pass of sampling.
type keptPass struct {
	layers []*activations
	output []float32   // [rows, hidden] after the last layer
	logits [][]float32 // [rows][vocab] where tokens were drawn; nil: not kept
	runs   []run
	rows   int
	gone   bool // its memory is used for something else
}

// A keptRow is a row of a pass; without one nothing is kept.
type keptRow struct {
	pass *keptPass
	row  int
}

func (r keptRow) there() bool { return r.pass != nil && !r.pass.gone }

// reset lets everything go.
func (k *keeper) reset() {
	for _, p := range k.passes {
		p.gone = true
	}
	clear(k.passes)
	k.passes, k.used, k.over = k.passes[:0], 0, false
	k.arena.reset()
}

// close lets everything go and gives its memory back. The next sampling that keeps begins anew.
func (k *keeper) close() {
	k.reset()
	k.arena.close()
	k.over = true
}

// add takes over what c computed, which is in the keeper's arena, and tells the pages of the text.
func (k *keeper) add(c *computation) {
	p := &keptPass{layers: c.kept, output: c.output, runs: append([]run(nil), c.pass.runs...), rows: c.pass.rows()}
	k.passes = append(k.passes, p)
	k.used += p.rows * c.shape.sizing(c.pass.ranks()).keptFloats()
	for i := range c.pass.chunks {
		ch := &c.pass.chunks[i]
		kept := ch.page.places()
		for j := range ch.n {
			kept[ch.shift+ch.from+j] = keptRow{p, ch.row + j}
		}
	}
}

// addLogits takes over logits z, [requests, vocab] in the keeper's arena, that tokens are drawn by after rows of the last pass.
func (k *keeper) addLogits(z []float32, rows []int) {
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

// keptFloats is how many values are kept for a row of sampling.
func (c sizing) keptFloats() int { return c.Layers*c.layerFloats() + 3*c.Hidden }

// keeps reports whether what the requests of one net compute is to be kept: where training follows all of them, and there is room for
// all even if no answer ends early. A value head reads the state after the last token too, which sampling does not compute.
func (e *Engine) keeps(requests []*request) bool {
	for _, r := range requests {
		if !r.ReuseInBackward || r.policy.value != nil || len(r.policy.params) == 0 || e.outgrows(r) {
			return false
		}
	}
	if e.kept.over {
		e.kept.reset()
		for _, p := range slices.Clone(e.text.forest.policies) {
			e.text.forget(p) // what an evaluation left there is not kept, and may begin these prompts
		}
	}
	var r ranks
	for _, q := range requests {
		r = r.most(q.policy.ranks)
	}
	tokens := e.atMost(requests)
	activations, logits := e.shape.sizing(r).keptBytes(tokens)
	room := e.keptRoom(activations+logits, tokens)
	e.kept.logits = activations+logits <= room
	return activations <= room
}

// outgrows reports whether a request may outgrow its rotary frequencies: all of its text is computed anew then, token by token.
func (e *Engine) outgrows(r *request) bool {
	n := len(r.Prompt)
	return e.shape.Rope.Variant(n) != e.shape.Rope.Variant(n+r.limit-1)
}

// atMost is how many tokens the requests add to the text if no answer ends early.
func (e *Engine) atMost(requests []*request) int {
	tokens := 0
	for i, r := range requests {
		if i == 0 || !requests[i-1].asksSame(r) {
			tokens += e.text.forest.missing(r.policy, r.Prompt, e.shape.Rope.Variant(len(r.Prompt))) + 1
		}
		tokens += r.limit
	}
	return tokens
}

// asksSame reports whether both complete one prompt.
func (r *request) asksSame(q *request) bool {
	return r.policy == q.policy && len(r.Prompt) == len(q.Prompt) && common(r.Prompt, q.Prompt) == len(q.Prompt)
}

func (o *settings) keptMemory() int64 {
	if o.ReuseMemory == 0 {
		return engine.DefaultReuseMemory
	}
	return max(0, o.ReuseMemory)
}

// Keeps reports whether all that a load samples is kept for the training that follows, beside policies with such specs, and whether its
// logits are. What is sampled with a value head is not; the load leaves it out.
func (p *Plan) Keeps(l engine.Load, specs []engine.PolicySpec) (activations, logits bool) {
	a, z := p.shape.sizing(p.shape.ranksOf(specs)).keptBytes(l.ReusedTokens)
	room := float64(p.options.keptMemory())
	return l.ReusedTokens > 0 && a <= room, l.ReusedTokens > 0 && a+z <= room
}

// keptBytes is what so many tokens take that sampling keeps: their activations, and logits for each.
func (c sizing) keptBytes(tokens int) (activations, logits float64) {
	n := floatBytes * float64(tokens)
	return n * float64(c.keptFloats()), n * float64(c.Vocab)
}

// places says where the activations of the page's tokens are kept, [room].
func (p *page) places() []keptRow {
	if p.kept == nil {
		p.kept = make([]keptRow, p.room)
	}
	return p.kept
}

// copyKept is copyTokens for the places of what is kept.
func (p *page) copyKept(to int, q *page, from, n int) {
	if q.kept != nil {
		copy(p.places()[to:], q.kept[from:from+n])
	}
}

// kept writes to rows where those of a chunk of data are kept, and reports whether all are.
func (t *text) kept(p *policy, ch *chunk, rows []keptRow) bool {
	var tokens []int
	for _, g := range ch.path {
		tokens = append(tokens, g.tokens...)
	}
	g, matched, rest := t.forest.find(p, tokens[:ch.start+ch.from+ch.n], ch.variant)
	if len(rest) > 0 {
		return false
	}
	for n := ch.n; n > 0; g, matched = g.parent, len(g.parent.tokens) {
		if g.page == nil || g.page.kept == nil {
			return false
		}
		for ; matched > 0 && n > 0; matched, n = matched-1, n-1 {
			rows[n-1] = g.page.kept[g.shift+matched-1]
			if !rows[n-1].there() {
				return false
			}
		}
	}
	return true
}

// source says where all rows of a pass are kept; nil: not all are.
func (e *Engine) source(p *pass) []keptRow {
	if len(e.kept.passes) == 0 {
		return nil
	}
	rows := make([]keptRow, p.rows())
	for _, r := range p.runs {
		for i := p.chunkOf(r.from); i < len(p.chunks) && p.chunks[i].row < r.to; i++ {
			ch := &p.chunks[i]
			if !e.text.kept(r.policy, ch, rows[ch.row:ch.row+ch.n]) {
				return nil
			}
		}
	}
	return rows
}
