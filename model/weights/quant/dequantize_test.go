package quant_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"parley/model/modeltest"
	"parley/model/weights/quant"
)

func TestInt8Error(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(1, 4).Draw(t, "rows"), rapid.IntRange(1, 9).Draw(t, "cols")
		x := rapid.SliceOfN(rapid.Float32Range(-100, 100), rows*cols, rows*cols).Draw(t, "x")
		m, got := quant.QuantizeInt8(rows, cols, x), make([]float32, rows*cols)
		modeltest.DequantizeInt8(got, m)
		for i, v := range x {
			limit := float64(m.Absmax[i/cols])/253 + 64*math.SmallestNonzeroFloat32 // the step itself is rounded
			if math.Abs(float64(got[i]-v)) > limit {
				t.Fatalf("x[%d] = %g became %g, more than half a step of %g off", i, v, got[i], 2*limit)
			}
		}
	})
}

// TestNF4Nearest: no level is nearer than the chosen one, whatever the length.
func TestNF4Nearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float32Range(-3, 3), 0, 200).Draw(t, "x")
		m, got := quant.QuantizeNF4(x, false), make([]float32, len(x))
		modeltest.DequantizeNF4(got, m, 0)
		for i, v := range x {
			a := m.Scale.At(i / quant.NF4Block)
			for code := range byte(16) {
				level := quant.NF4Level(code)
				if d := math.Abs(float64(level*a - v)); d < math.Abs(float64(got[i]-v))-1e-6 {
					t.Fatalf("x[%d] = %g became %g, %g is nearer", i, v, got[i], level*a)
				}
			}
		}
	})
}

func TestNF4DequantizePart(t *testing.T) {
	x := make([]float32, 300)
	for i := range x {
		x[i] = float32(i%17) - 8
	}
	m, all := quant.QuantizeNF4(x, true), make([]float32, len(x))
	modeltest.DequantizeNF4(all, m, 0)
	part := make([]float32, 100)
	modeltest.DequantizeNF4(part, m, 101)
	same(t, "part", part, all[101:201])
}

func TestZeros(t *testing.T) {
	x, got := make([]float32, 130), make([]float32, 130)
	for _, double := range []bool{false, true} {
		modeltest.DequantizeNF4(got, quant.QuantizeNF4(x, double), 0)
		same(t, "nf4", got, x)
	}
	modeltest.DequantizeInt8(got, quant.QuantizeInt8(10, 13, x))
	same(t, "int8", got, x)
}
