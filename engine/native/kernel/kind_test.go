package kernel

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"testing"
)

// sumsOfKinds are the checksums of the results below, on every processor.
var sumsOfKinds = map[string]uint32{"fused": 0x6925e387, "rounded": 0x9b5ce379, "tiles": 0x69b72c97}

// exactValues returns n numbers from -2 to 2 that are the same wherever they are computed.
func exactValues(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = 4*rng.Float32() - 2
	}
	return x
}

// kindResults strings together what products and functions of rows make of fixed numbers.
func kindResults(k *Kernels) []float32 {
	var all []float32
	rng := rand.New(rand.NewPCG(31, 32))
	for i, s := range [][3]int{{1, 70, 33}, {2, 33, 64}, {3, 40, 17}, {7, 64, 100}, {29, 17, 130}, {5, 16, 2000}} {
		rows, out, in := s[0], s[1], s[2]
		x, dy, w := exactValues(rng, rows*in), exactValues(rng, rows*out), exactValues(rng, out*in)
		for _, f := range formats {
			m := k.PackAs(f, out, in, w)
			y, dx := exactValues(rng, rows*out), exactValues(rng, rows*in)
			k.Mul(y, x, rows, m, i%2 == 0)
			k.MulT(dx, dy, rows, m, i%2 == 1)
			all = append(append(all, y...), dx...)
		}
		dw := exactValues(rng, out*in)
		k.MulGrad(dw, dy, x, rows, out, in)
		all = append(all, dw...)
	}
	for _, n := range rowLengths[1:] {
		a, b := exactValues(rng, n), exactValues(rng, n)
		rows := rowResults(k, a, b)
		all = append(all, rows[:len(rows)-1]...) // without the last, a logarithm
		k.Exp(a, a)
		k.Rope(b[:n&^1], a, a)
		k.RopeGrad(a[:n&^1], b, b)
		m, v := make([]float32, n), make([]float32, n)
		k.AdamW(b, m, v, a, AdamStep{LR: 0.01, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8, WeightDecay: 0.1, GradScale: 0.5, Correction1: 0.1, Correction2: 0.01})
		all = append(append(append(append(all, a...), b...), m...), v...)
	}
	return all
}

// TestKindsAreTheSameEverywhere: sets of one kind give the same bits on processors of different makers.
func TestKindsAreTheSameEverywhere(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		sum := crc32.NewIEEE()
		for i, v := range kindResults(k) {
			if v != v {
				t.Fatalf("value %d is no number", i)
			}
			if err := binary.Write(sum, binary.LittleEndian, math.Float32bits(v)); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := fmt.Sprintf("%#08x", sum.Sum32()), fmt.Sprintf("%#08x", sumsOfKinds[k.Kind()]); got != want {
			t.Errorf("the results of %s have the sum %s, those of kind %q have %s", k.Name(), got, k.Kind(), want)
		}
	}, 2)
}
