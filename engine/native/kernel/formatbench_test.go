package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"parley/engine"
)

// decodeBytes is the weights that a benchmark of decoding goes through in turn: more than any cache keeps.
const decodeBytes = 128 << 20

// eachFormat runs f with weights of each format on each set, on one thread: other programs disturb two threads more than one.
func eachFormat(b *testing.B, f func(b *testing.B, k *Kernels, format engine.Format)) {
	for _, name := range testSets()[1:] {
		k := open(b, name, 1)
		for _, format := range formats {
			b.Run(fmt.Sprintf("%s/%s", name, format), func(b *testing.B) { f(b, k, format) })
		}
	}
}

// BenchmarkTraining are products of many rows, as shares of the peak that is measured just before them.
func BenchmarkTraining(b *testing.B) {
	eachFormat(b, func(b *testing.B, k *Kernels, format engine.Format) {
		f32, bf16 := k.Peak()
		peak := f32
		if format != engine.F32 {
			peak = bf16
		}
		for _, s := range [][3]int{{512, 576, 576}, {512, 1536, 576}, {512, 896, 4864}} {
			rows, out, in := s[0], s[1], s[2]
			rng := rand.New(rand.NewPCG(1, 1))
			y, x, w := normal(rng, rows*out), normal(rng, rows*in), k.PackAs(format, out, in, normal(rng, out*in))
			for what, multiply := range map[string]func(){
				"Mul":  func() { k.Mul(y, x, rows, w, false) },
				"MulT": func() { k.MulT(x, y, rows, w, false) },
			} {
				b.Run(fmt.Sprintf("%s/%dx%dx%d", what, rows, out, in), func(b *testing.B) {
					for b.Loop() {
						multiply()
					}
					flops := 2 * float64(rows) * float64(out) * float64(in)
					perSecond(b, flops, "GFLOP/s")
					perSecond(b, flops/peak*100, "%peak")
				})
			}
		}
	})
}

// BenchmarkDecoding are products of few rows with weights from memory, as shares of the read rate that is measured just before.
func BenchmarkDecoding(b *testing.B) {
	eachFormat(b, func(b *testing.B, k *Kernels, format engine.Format) {
		const out, in = 1536, 576
		rng, read := rand.New(rand.NewPCG(1, 1)), k.ReadRate()
		ws := make([]*Matrix, decodeBytes/MatrixBytes(format, out, in))
		for i, values := 0, normal(rng, out*in); i < len(ws); i++ {
			ws[i] = k.PackAs(format, out, in, values)
		}
		for _, rows := range []int{1, 4, 8, 16, 32} {
			y, x := normal(rng, rows*out), normal(rng, rows*in)
			b.Run(fmt.Sprint(rows), func(b *testing.B) {
				next := 0
				for b.Loop() {
					k.Mul(y, x, rows, ws[next], false)
					next = (next + 1) % len(ws)
				}
				perSecond(b, float64(ws[0].Bytes()), "GB/s")
				perSecond(b, float64(ws[0].Bytes())/read*1e11, "%read")
			})
		}
	})
}
