package native

import (
	"parley/engine"
	"parley/model/weights"
	"parley/model/weights/quant"
)

// Held returns the checkpoint src as an engine holds it in a format: the weights that its products multiply with, in float32. Those of
// [engine.NF4] are rounded to bfloat16 on their way into a product; the whole numbers of [engine.Int8] are not. Whoever wants the
// model that a policy was trained over, without an engine, takes these. Tensors are read one by one. Closing the result closes src.
func Held(src weights.Source, f engine.Format) weights.Source {
	if f == engine.F32 {
		return src
	}
	shapes := map[string][]int{}
	for _, t := range src.Tensors() {
		shapes[t.Name] = t.Shape
	}
	return &heldSource{src, f, shapes}
}

type heldSource struct {
	weights.Source
	format engine.Format
	shapes map[string][]int
}

// Float32 implements [weights.Source].
func (h *heldSource) Float32(name string, dst []float32) error {
	if err := h.Source.Float32(name, dst); err != nil {
		return err
	}
	if shape := h.shapes[name]; len(shape) == 2 {
		hold(dst, shape[1], h.formatOf(name))
	}
	return nil
}

// formatOf is the format of a matrix; see [net.loadFrozen].
func (h *heldSource) formatOf(name string) engine.Format {
	if name == "model.embed_tokens.weight" || name == "lm_head.weight" {
		return tableFormat(h.format)
	}
	return h.format
}

// hold rounds a matrix with rows of so many values.
func hold(w []float32, in int, f engine.Format) {
	switch f {
	case engine.BF16:
		for i, v := range w {
			w[i] = quant.FromBF16(quant.ToBF16(v))
		}
	case engine.Int8:
		q := quant.QuantizeInt8(len(w)/in, in, w)
		for i := range w {
			w[i] = float32(q.Q[i]) * (q.Absmax[i/in] / 127)
		}
	case engine.NF4:
		q := quant.QuantizeNF4(w, true)
		for i := range w {
			index := q.Packed[i/2] >> (4 * (1 - i%2)) & 15
			w[i] = quant.FromBF16(quant.ToBF16(quant.NF4Level(index) * q.Scale.At(i/quant.NF4Block)))
		}
	}
}
