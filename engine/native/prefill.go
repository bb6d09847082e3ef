package native

import "context"

// A promptBatch is a pass that fills up with rows, and the requests that draw a token after some of them.
type promptBatch struct {
	pass     *pass
	ready    []*request
	rows     []int            // after which each ready request draws
	lastRows map[*segment]int // row of the last token of segments that end in the pass
}

func (b *promptBatch) reset() {
	b.pass.reset()
	b.ready, b.rows = b.ready[:0], b.rows[:0]
	clear(b.lastRows)
}

// drawAfterLast lets r draw after the last row.
func (b *promptBatch) drawAfterLast(r *request) {
	b.ready, b.rows = append(b.ready, r), append(b.rows, b.pass.rows()-1)
}

// prefill computes what is not cached of the prompts of requests, each token once, and draws the next token of each. Their last rows
// may stay in the batch.
func (s *session) prefill(ctx context.Context, b *promptBatch, requests []*request) error {
	for _, r := range requests {
		for _, g := range r.prefix.path() {
			if err := s.addSegment(ctx, b, r, g); err != nil {
				return err
			}
		}
		row, ok := b.lastRows[r.prefix]
		if !ok {
			if err := s.addSegmentFrom(ctx, b, r, r.prefix, len(r.prefix.tokens)-1); err != nil {
				return err
			}
			row = b.pass.rows() - 1
		}
		b.ready, b.rows = append(b.ready, r), append(b.rows, row)
	}
	return nil
}

// addSegment adds what is not computed yet of a segment.
func (s *session) addSegment(ctx context.Context, b *promptBatch, r *request, g *segment) error {
	if g.computed == len(g.tokens) {
		return nil
	}
	return s.addSegmentFrom(ctx, b, r, g, g.computed)
}

// addSegmentFrom adds a segment from one of its tokens on, in pieces where the batch has no room.
func (s *session) addSegmentFrom(ctx context.Context, b *promptBatch, r *request, g *segment, from int) error {
	for from < len(g.tokens) {
		if b.pass.rows() >= s.options.BatchTokens {
			if err := s.flush(ctx, b); err != nil {
				return err
			}
		}
		n := min(len(g.tokens)-from, s.options.BatchTokens-b.pass.rows())
		b.pass.add(r.policy, g, g.path(), from, n)
		from += n
	}
	g.computed = len(g.tokens)
	if b.lastRows == nil {
		b.lastRows = map[*segment]int{}
	}
	b.lastRows[g] = b.pass.rows() - 1
	return nil
}

// flush computes the batch, draws for its ready requests, and empties it.
func (s *session) flush(ctx context.Context, b *promptBatch) error {
	if b.pass.rows() == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	err := s.sample(b.pass, b.ready, b.rows)
	b.reset()
	return err
}
