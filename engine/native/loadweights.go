package native

import (
	"fmt"

	"parley/engine"
	"parley/engine/native/kernel"
	"parley/model/weights"
)

// pieceFloats is about how many values of a matrix are read at a time, where the checkpoint can be read in pieces.
const pieceFloats = 1 << 20

// loadFrozen reads all values of a frozen net and packs its matrices. Matrices go by in pieces, so that no more than their packed form
// is ever in memory; f is the format of the projections.
func (n *net) loadFrozen(src weights.Source, k *kernel.Kernels, f engine.Format) error {
	if err := n.checkNames(src); err != nil {
		return err
	}
	n.lowPrecision = f != engine.F32
	uses := n.uses()
	r := tensorReader{src: src}
	for _, p := range n.params {
		if len(p.shape) == 1 {
			if err := r.values(p); err != nil {
				return err
			}
			continue
		}
		format := f
		if p == n.embed || p == n.head.weight {
			format = tableFormat(f)
		}
		m, err := r.matrix(k, p, format)
		if err != nil {
			return err
		}
		for _, l := range uses[p] {
			l.matrix = m
		}
		if p == n.embed {
			n.embedTable = m
		}
	}
	if f, ok := src.(weights.Forgetter); ok {
		f.Forget()
	}
	return nil
}

// tableFormat is the format of embedding and head where the projections have f.
func tableFormat(f engine.Format) engine.Format { return min(f, engine.BF16) }

// loadTrained reads all values of a net that is to be trained, and packs its matrices beside them.
func (n *net) loadTrained(src weights.Source, k *kernel.Kernels) error {
	if err := n.checkNames(src); err != nil {
		return err
	}
	uses := n.uses()
	r := tensorReader{src: src}
	for _, p := range n.params {
		if err := r.values(p); err != nil {
			return err
		}
		for _, l := range uses[p] {
			l.matrix = k.Pack(p.shape[0], p.shape[1], p.w)
		}
	}
	return nil
}

// uses lists the products that each matrix is used in.
func (n *net) uses() map[*param][]*linear {
	uses := map[*param][]*linear{}
	for _, l := range n.linears() {
		uses[l.weight] = append(uses[l.weight], l)
	}
	return uses
}

// embedding writes the embedding of a token to dst.
func (n *net) embedding(dst []float32, token int) {
	if n.embed.w != nil {
		copy(dst, row(n.embed.w, token, len(dst)))
		return
	}
	n.embedTable.Row(dst, token)
}

// A tensorReader reads tensors of a checkpoint, and refuses values that are no numbers.
type tensorReader struct {
	src    weights.Source
	buffer []float32
}

// values reads all of p.
func (r *tensorReader) values(p *param) error {
	p.w = make([]float32, p.size())
	if err := r.src.Float32(p.name, p.w); err != nil {
		return fmt.Errorf("read tensor %s: %w", p.name, err)
	}
	if err := r.check(p, 0, p.w); err != nil {
		return err
	}
	p.refreshScale()
	return nil
}

// matrix reads p into a matrix.
func (r *tensorReader) matrix(k *kernel.Kernels, p *param, f engine.Format) (*kernel.Matrix, error) {
	out, in := p.shape[0], p.shape[1]
	m := k.NewMatrix(f, out, in)
	rows := out
	if _, ok := r.src.(weights.RowReader); ok {
		rows = min(out, max(1, pieceFloats/in/panelRows)*panelRows)
	}
	for from := 0; from < out; from += rows {
		piece := r.piece(min(rows, out-from) * in)
		if err := r.read(p, from, piece); err != nil {
			return nil, err
		}
		if err := r.check(p, from*in, piece); err != nil {
			return nil, err
		}
		k.PackRows(m, from, piece)
	}
	return m, nil
}

// panelRows is what the pieces of a matrix are multiples of: the rows of a panel.
const panelRows = 16

// piece returns a buffer of n values.
func (r *tensorReader) piece(n int) []float32 {
	if cap(r.buffer) < n {
		r.buffer = make([]float32, n)
	}
	return r.buffer[:n]
}

// read reads rows of p from row from on.
func (r *tensorReader) read(p *param, from int, dst []float32) error {
	var err error
	if len(dst) == p.size() {
		err = r.src.Float32(p.name, dst)
	} else {
		err = r.src.(weights.RowReader).Rows(p.name, from, dst)
	}
	if err != nil {
		return fmt.Errorf("read tensor %s: %w", p.name, err)
	}
	return nil
}

// check reports a value that is no number, at its index in the tensor.
func (r *tensorReader) check(p *param, at int, x []float32) error {
	for i, v := range x {
		if !isFinite(v) {
			return fmt.Errorf("tensor %s has %v at index %d; the checkpoint is damaged", p.name, v, at+i)
		}
	}
	return nil
}
