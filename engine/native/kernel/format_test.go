package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"parley/engine"
	"parley/model/modeltest"
	"parley/model/weights/quant"
)

// formats are those that a matrix can have.
var formats = []engine.Format{engine.F32, engine.BF16, engine.Int8, engine.NF4}

// valuesOf is what a format makes of w, by the package that defines it.
func valuesOf(f engine.Format, out, in int, w []float32) []float32 {
	values := slices.Clone(w)
	switch f {
	case engine.BF16:
		for i, v := range w {
			values[i] = quant.FromBF16(quant.ToBF16(v))
		}
	case engine.Int8:
		modeltest.DequantizeInt8(values, quant.QuantizeInt8(out, in, w))
	case engine.NF4:
		modeltest.DequantizeNF4(values, quant.QuantizeNF4(w, true), 0)
	}
	return values
}

// TestRows: a matrix has the values that its format gives, packed at once or in pieces.
func TestRows(t *testing.T) {
	k := open(t, "", 2)
	rng := rand.New(rand.NewPCG(21, 1))
	for _, s := range [][2]int{{1, 1}, {16, 64}, {17, 63}, {40, 130}, {100, 70}, {33, 128}} {
		out, in := s[0], s[1]
		w := normal(rng, out*in)
		for _, f := range formats {
			want := valuesOf(f, out, in, w)
			once, pieces := k.PackAs(f, out, in, w), k.NewMatrix(f, out, in)
			for from := 0; from < out; from += 32 {
				k.PackRows(pieces, from, w[from*in:min(out, from+32)*in])
			}
			row := make([]float32, in)
			for o := range out {
				for _, m := range []*Matrix{once, pieces} {
					m.Row(row, o)
					sameBits(t, f.String(), row, want[o*in:][:in])
				}
			}
			if once.Bytes() != MatrixBytes(f, out, in) || once.Format() != f {
				t.Errorf("%v: a %v matrix has %d bytes, MatrixBytes is %d", s, once.Format(), once.Bytes(), MatrixBytes(f, out, in))
			}
		}
	}
}
