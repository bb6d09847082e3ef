package quant

import (
	"math"
	"sort"
)

// NF4Block is the number of elements that share one absmax.
const NF4Block = 64

// nestedBlock is the number of absmaxes that share one nested absmax.
const nestedBlock = 256

// nf4Table are the 16 levels of 4-bit NormalFloat: quantiles of the standard normal distribution, scaled to [-1, 1], with an
// exact zero (QLoRA, section 3 and appendix E).
var nf4Table = [16]float32{
	-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453,
	-0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0.0,
	0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224,
	0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0,
}

// nf4Middles lie between the levels.
var nf4Middles = func() (middles [15]float32) {
	for i := range middles {
		middles[i] = (nf4Table[i] + nf4Table[i+1]) / 2
	}
	return middles
}()

// nearestLevel is nearest(nf4Table[:], v) in four comparisons.
func nearestLevel(v float32) byte {
	i := 0
	for _, step := range [4]int{8, 4, 2, 1} {
		if !(v <= nf4Middles[i+step-1]) {
			i += step
		}
	}
	return byte(i)
}

// nestedCode are the 256 levels of absmaxes under double quantisation.
var nestedCode = dynamicMap()

// dynamicMap builds the signed dynamic 8-bit data type: for each decade 10^-6 ... 1 the midpoints of 2^i equal parts of
// [0.1, 1], both signs, and 0 and 1 (Dettmers et al., 8-bit Optimizers via Block-wise Quantization, section 1.3).
func dynamicMap() (code [256]float32) {
	list := make([]float64, 0, 256)
	for decade := range 7 {
		parts := 1 << decade
		edge := func(i int) float32 { return linspace(0.1, 1, parts+1, i) }
		for i := range parts {
			v := float32(math.Pow(10, float64(decade-6))) * ((edge(i) + edge(i+1)) / 2)
			list = append(list, float64(v), float64(-v))
		}
	}
	list = append(list, 0, 1)
	sort.Float64s(list)
	for i, v := range list {
		code[i] = float32(v)
	}
	return code
}

// linspace is point i of n equally spaced ones from a to b, counted from the nearer end: one fused multiply-add in float32
// (products of float32 are exact in float64), as the reference computes it.
func linspace(a, b float32, n, i int) float32 {
	step := float64((b - a) / float32(n-1))
	if i < n/2 {
		return float32(float64(a) + step*float64(i))
	}
	return float32(float64(b) - step*float64(n-1-i))
}

// NF4 is a run of values in 4-bit NormalFloat. A matrix is stored row after row; blocks run on over the ends of rows.
type NF4 struct {
	N      int     // number of values
	Packed []byte  // [ceil(N/2)] indices of levels: value 2k in the high half of byte k, value 2k+1 in the low one
	Scale  Absmaxs // one for every 64 values
}

// Absmaxs are the greatest magnitudes of blocks: as they are, or quantised to 8 bits themselves (double quantisation), which
// saves 0.37 bits per value.
type Absmaxs struct {
	Plain []float32 // set when they are stored as they are

	Q      []byte    // else: levels of Plain - Offset in units of Nested
	Nested []float32 // greatest magnitude of each 256 of Plain - Offset
	Offset float32   // the mean of Plain
}

// At is the greatest magnitude of block i.
func (a *Absmaxs) At(i int) float32 {
	if a.Plain != nil {
		return a.Plain[i]
	}
	return float32(nestedCode[a.Q[i]]*a.Nested[i/nestedBlock]) + a.Offset
}

// QuantizeNF4 quantises x, with its absmaxes in 8 bits where double is set.
func QuantizeNF4(x []float32, double bool) *NF4 {
	m := &NF4{N: len(x), Packed: make([]byte, (len(x)+1)/2)}
	plain := make([]float32, (len(x)+NF4Block-1)/NF4Block)
	for i := range plain {
		plain[i] = absmax(block(x, i, NF4Block))
	}
	for b, a := range plain {
		inv := float32(0)
		if a > 0 {
			inv = 1 / a
		}
		for j, v := range block(x, b, NF4Block) {
			i := b*NF4Block + j
			m.Packed[i/2] |= nearestLevel(v*inv) << (4 * (1 - i%2))
		}
	}
	if len(x)%2 != 0 {
		m.Packed[len(x)/2] |= nearestLevel(0)
	}
	m.Scale.Plain = plain
	if double {
		m.Scale = QuantizeAbsmaxs(plain)
	}
	return m
}

// NF4Level is the value of a 4-bit index before it is scaled by the absmax of its block.
func NF4Level(index byte) float32 { return nf4Table[index&15] }

// QuantizeAbsmaxs is the second quantisation, of the absmaxs of a whole tensor.
func QuantizeAbsmaxs(plain []float32) Absmaxs { return quantizeAbsmaxs(plain, mean(plain)) }

// quantizeAbsmaxs quantises plain around offset.
func quantizeAbsmaxs(plain []float32, offset float32) Absmaxs {
	a := Absmaxs{Q: make([]byte, len(plain)), Offset: offset}
	centred := make([]float32, len(plain))
	for i, v := range plain {
		centred[i] = v - a.Offset
	}
	a.Nested = make([]float32, (len(plain)+nestedBlock-1)/nestedBlock)
	for i := range a.Nested {
		a.Nested[i] = absmax(block(centred, i, nestedBlock))
	}
	for i, v := range centred {
		if n := a.Nested[i/nestedBlock]; n > 0 {
			v /= n
		}
		a.Q[i] = byte(nearest(nestedCode[:], v))
	}
	return a
}

// block is piece i of x cut into pieces of size n; the last may be shorter.
func block(x []float32, i, n int) []float32 { return x[i*n : min(len(x), (i+1)*n)] }

// mean is summed in float64, so that it is the correctly rounded mean for all practical lengths.
func mean(x []float32) float32 {
	if len(x) == 0 {
		return 0
	}
	var sum float64
	for _, v := range x {
		sum += float64(v)
	}
	return float32(sum / float64(len(x)))
}

// nearest is the index of the level nearest to v; exactly between two it is the lower one.
func nearest(levels []float32, v float32) int {
	i := sort.Search(len(levels), func(i int) bool { return levels[i] >= v })
	switch {
	case i == 0:
		return 0
	case i == len(levels):
		return i - 1
	}
	if mid := (levels[i-1] + levels[i]) / 2; v > mid {
		return i
	}
	return i - 1
}
