package modeltest

// This file takes quantized values back to float32, for tests: the engine multiplies codes as they are and never does so for
// a whole tensor.

import "parley/model/weights/quant"

// DequantizeInt8 writes the values of m to dst [Rows, Cols].
func DequantizeInt8(dst []float32, m *quant.Int8) {
	for i := range m.Rows {
		step := m.Absmax[i] / 127
		for j, q := range m.Q[i*m.Cols : (i+1)*m.Cols] {
			dst[i*m.Cols+j] = float32(q) * step
		}
	}
}

// DequantizeNF4 writes the values of m from index at on to dst.
func DequantizeNF4(dst []float32, m *quant.NF4, at int) {
	for i := range dst {
		k := at + i
		code := m.Packed[k/2] >> (4 * (1 - k%2))
		dst[i] = quant.NF4Level(code) * m.Scale.At(k/quant.NF4Block)
	}
}
