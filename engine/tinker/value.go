package tinker

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"

	"parley/engine"
)

// Values come out of log-probabilities. For two tokens a and b, log p(a|s) − log p(b|s) = (W_a − W_b)·h(s), since what normalises them is the
// same: a linear head on the last hidden state whose read-out is frozen, over a trunk that the adapter trains. It begins at 0 when the
// value that the base gives is taken off:
//
//	v(s) = [log p(a|s) − log p(b|s)] − [log p₀(a|s) − log p₀(b|s)]

// headTokens are the two tokens that values are read from: some that texts have, since rows of the embedding that no text has may be equal.
func (e *Engine) headTokens() (a, b int64) {
	var used []int64
	for t := range e.shape.Vocab {
		if !slices.ContainsFunc(e.shape.Unused, func(r [2]int) bool { return r[0] <= t && t < r[1] }) {
			if used = append(used, int64(t)); len(used) == 2 {
				return used[0], used[1]
			}
		}
	}
	return 0, int64(e.shape.Vocab - 1)
}

// valueRows ask for both log-probabilities at every state that has a value.
func (e *Engine) valueRows(d *engine.Datum) []row {
	a, b := e.headTokens()
	r := row{}
	for _, t := range d.Tokens {
		r.tokens = append(r.tokens, int32(t))
	}
	for i := range d.Asked() + 1 {
		r.at = append(r.at, d.Index(i)-1)
	}
	rows := []row{r, r}
	rows[0].targets, rows[1].targets = slices.Repeat([]int64{a}, len(r.tokens)), slices.Repeat([]int64{b}, len(r.tokens))
	return rows
}

// difference is that of two rows of scores at the places of a row.
func difference(r *row, a, b []float32) []float32 {
	out := make([]float32, len(r.at))
	for i, at := range r.at {
		out[i] = a[at] - b[at]
	}
	return out
}

// offsets are the values of the base at every place of a sequence, once they were asked for.
type offsets struct {
	mu    sync.Mutex
	known map[string][]float32
}

const mostOffsets = 1 << 12 // sequences

// key is what a sequence is remembered by.
func (r *row) key() string {
	var out []byte
	for _, t := range r.tokens {
		out = binary.LittleEndian.AppendUint32(out, uint32(t))
	}
	return string(out)
}

// valuesOf reads the values of data from the last two rows of each.
func (e *Engine) valuesOf(ctx context.Context, p *policy, which []int, out []scored) error {
	base, err := e.baseValues(ctx, p, which, out)
	if err != nil {
		return err
	}
	for j, i := range which {
		s, n := &out[i], len(out[i].rows)
		s.output.Values = difference(&s.rows[n-1], s.scores[n-2], s.scores[n-1])
		for k, at := range s.rows[n-1].at {
			s.output.Values[k] -= base[j][at]
		}
	}
	return nil
}

// baseValues are what is taken off values: those of the base at every place of each sequence.
func (e *Engine) baseValues(ctx context.Context, p *policy, which []int, out []scored) ([][]float32, error) {
	scorer, err := e.scored(ctx, engine.Base)
	if err != nil {
		return nil, err
	}
	p.heads.mu.Lock()
	defer p.heads.mu.Unlock()
	if len(p.heads.known) > mostOffsets || p.heads.known == nil {
		p.heads.known = map[string][]float32{}
	}
	var keys []string
	var rows []row
	for _, i := range which {
		both := out[i].rows[len(out[i].rows)-2:]
		if key := both[0].key(); p.heads.known[key] == nil && !slices.Contains(keys, key) {
			keys, rows = append(keys, key), append(rows, both...)
		}
	}
	scores, err := e.forward(ctx, scorer, rows)
	if err != nil {
		return nil, err
	}
	for i, key := range keys {
		all := make([]float32, len(scores[2*i]))
		for at := range all {
			all[at] = scores[2*i][at] - scores[2*i+1][at]
		}
		p.heads.known[key] = all
	}
	values := make([][]float32, len(which))
	for j, i := range which {
		values[j] = p.heads.known[out[i].rows[len(out[i].rows)-1].key()]
	}
	return values, nil
}
