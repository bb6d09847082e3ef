package kernel

// setRowsAVX512 has the functions of a row that gain from 512 bits: those made of e^x. The others wait for their loads and stores,
// which on Zen 4 go slower in 512 bits, or, as dot products and maxima do, for chains of sixteen lanes, which take as long in one
// register as in two.
func (s *set) setRowsAVX512() {
	s.exp = func(dst, x []float32) { expAVX512(at(dst), at(x), len(dst)) }
	s.expScaled = func(x []float32, norm, scale float32) { expScaledAVX512(at(x), len(x), norm, scale) }
	s.expSum = func(dst, x []float32, max float32) float32 { return expSumAVX512(at(dst), at(x), len(x), max) }
	s.sumExp = func(x []float32, max float32) float32 { return sumExpAVX512(at(x), len(x), max) }
	s.swiglu = func(y, gate, up []float32) { swigluAVX512(at(y), at(gate), at(up), len(y)) }
	s.swigluGrad = func(gate, up, y []float32) {
		swigluGradAVX512(at(gate), at(up), at(y), len(gate))
	}
}
