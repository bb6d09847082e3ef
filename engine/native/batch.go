package native

import (
	"fmt"
	"slices"

	"parley/engine"
)

// A batch is the part of a call's data that goes through together: consecutive data, one pass for each net that they need.
type batch struct {
	forest     forest
	first      int // index of its first datum
	data       []engine.Datum
	soft       [][][]engine.Target // [data][asked] distributions in the places of tokens; nil: none
	policies   []*policy           // of each datum
	placements [][]placement       // of each datum: where its tokens are computed
	outputs    []engine.Output
}

// inputTokens returns the tokens of d that must go through the net: the last one is read by a value head only.
func inputTokens(d *engine.Datum, p *policy) []int {
	if p.value != nil {
		return d.Tokens
	}
	return d.Tokens[:len(d.Tokens)-1]
}

// A placement is where the last targets of a datum, given prefixes of at most upTo tokens, are computed: along the chain that
// ends at end. A datum has several where its tokens are scored under several variants of rotary frequencies.
type placement struct {
	upTo, variant int
	end           *segment // nil: there is nothing to compute
}

// placements lists those of a datum, shortest prefixes first, without ends.
func (e *Engine) placements(d *engine.Datum, p *policy) []placement {
	rope, n := &e.shape.Rope, len(inputTokens(d, p))
	if !e.options.ScoreAsSampled {
		return []placement{{upTo: n, variant: rope.Variant(len(d.Tokens))}}
	}
	all := []placement{{upTo: min(d.ScoreFrom, n), variant: rope.Variant(d.ScoreFrom)}}
	for length := d.ScoreFrom + 1; length <= n; length++ {
		if v := rope.Variant(length); v != all[len(all)-1].variant {
			all = append(all, placement{variant: v})
		}
		all[len(all)-1].upTo = length
	}
	return all
}

// row returns the packed row that sees exactly the first length tokens of datum i.
func (b *batch) row(i, length int) int {
	at := slices.IndexFunc(b.placements[i], func(p placement) bool { return length <= p.upTo })
	return b.placements[i][at].end.at(length - 1)
}

// batches cuts data into batches of at most limit packed tokens, or one datum. The cuts follow from the data and the limits. Policies share
// a batch where one of them has too few tokens for fast products, and all data of the next one fit beside those that are there, also into
// so many bytes where a pass keeps its activations. Else its data are cut as in a call of its own: what they share is computed once, and
// nothing is computed again that would not be otherwise.
func (e *Engine) batches(data []engine.Datum, limit int, room float64) ([]*batch, error) {
	var all []*batch
	var b *batch
	for i := range data {
		d := &data[i]
		p, err := e.checkDatum(d)
		if err != nil {
			return nil, fmt.Errorf("datum %d: %w", i, err)
		}
		places := e.placements(d, p)
		if b == nil || b.forest.tokens+b.missing(d, p, places) > limit || b.isNewPolicy(p) && !e.sharesPass(b, p, data[i:], limit, room) {
			b = &batch{first: i}
			all = append(all, b)
		}
		b.add(d, p, places)
	}
	return all, nil
}

// isNewPolicy reports whether a datum of p would be the batch's first one of it.
func (b *batch) isNewPolicy(p *policy) bool { return !slices.Contains(b.policies, p) }

// sharesPass reports whether the data of one policy that a list begins with should go into a batch, and fit there.
func (e *Engine) sharesPass(b *batch, p *policy, data []engine.Datum, limit int, room float64) bool {
	size := e.shape.sizing(b.ranks().max(p.ranks))
	var next batch
	for i := range data {
		d := &data[i]
		if q, err := e.checkDatum(d); err != nil || q != p {
			break
		}
		next.add(d, p, e.placements(d, p))
		if tokens := b.forest.tokens + next.forest.tokens; tokens > limit || floatBytes*size.passFloats(tokens) > room {
			return false
		}
	}
	return min(b.forest.tokens, next.forest.tokens) < rowTileRows // more rows in a tile make no product faster
}

// add puts a datum of a policy into the batch.
func (b *batch) add(d *engine.Datum, p *policy, places []placement) {
	b.data, b.policies, b.placements = append(b.data, *d), append(b.policies, p), append(b.placements, places)
	for j, at := range places {
		if at.upTo > 0 {
			places[j].end = b.forest.follow(p, d.Tokens[:at.upTo], at.variant)
		}
	}
}

// missing counts the tokens that a datum would add.
func (b *batch) missing(d *engine.Datum, p *policy, places []placement) int {
	n := 0
	for _, at := range places {
		n += b.forest.missing(p, d.Tokens[:at.upTo], at.variant)
	}
	return n
}

// truncates reports whether top-k or top-p cuts a datum's distributions.
func (b *batch) truncates(vocab int) bool {
	return slices.ContainsFunc(b.data, func(d engine.Datum) bool { return truncates(normalized(d.Sampling), vocab) })
}

// ranks are those of the adapters of all policies of the batch.
func (b *batch) ranks() ranks {
	var all ranks
	for _, p := range b.policies {
		all = all.max(p.ranks)
	}
	return all
}

// trainedPolicies lists the policies of the data, each once, ready for training. The base among them is an error: it has nothing to train.
func trainedPolicies(batches []*batch) ([]*policy, error) {
	var all []*policy
	for _, b := range batches {
		for i, p := range b.policies {
			if len(p.params) == 0 {
				return nil, fmt.Errorf("datum %d: the frozen base cannot be trained; name a policy", b.first+i)
			}
			if !slices.Contains(all, p) {
				p.prepareTraining()
				all = append(all, p)
			}
		}
	}
	return all, nil
}
