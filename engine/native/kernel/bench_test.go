package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"parley/engine"
)

// benchShapes are [rows, out, in]: our default model, one of 135M parameters, adapters, and decoding.
var benchShapes = [][3]int{
	{64, 128, 128},
	{512, 128, 128},
	{512, 384, 128},
	{512, 128, 384},
	{64, 384, 128},
	{512, 1536, 576},
	{512, 576, 1536},
	{512, 8, 128},
	{512, 128, 8},
	{1, 384, 128},
	{2, 384, 128},
	{4, 384, 128},
	{8, 384, 128},
	{16, 384, 128},
	{8, 1536, 576},
}

// perSecond reports work done per second, in units of 1e9.
func perSecond(b *testing.B, work float64, unit string) {
	b.ReportMetric(work*float64(b.N)/b.Elapsed().Seconds()/1e9, unit)
}

func eachBench(b *testing.B, f func(b *testing.B, k *Kernels)) {
	for _, name := range testSets() {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/%d", name, threads), func(b *testing.B) { f(b, open(b, name, threads)) })
		}
	}
}

func benchProducts(b *testing.B, f func(k *Kernels, y, x []float32, rows int, w *Matrix)) {
	eachBench(b, func(b *testing.B, k *Kernels) {
		for _, s := range benchShapes {
			rows, out, in := s[0], s[1], s[2]
			b.Run(fmt.Sprintf("%dx%dx%d", rows, out, in), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 1))
				y, x, w := normal(rng, rows*out), normal(rng, rows*in), k.Pack(out, in, normal(rng, out*in))
				for b.Loop() {
					f(k, y, x, rows, w)
				}
				perSecond(b, 2*float64(rows)*float64(out)*float64(in), "GFLOP/s")
			})
		}
	})
}

func BenchmarkMul(b *testing.B) {
	benchProducts(b, func(k *Kernels, y, x []float32, rows int, w *Matrix) { k.Mul(y, x, rows, w, false) })
}

func BenchmarkMulT(b *testing.B) {
	benchProducts(b, func(k *Kernels, y, x []float32, rows int, w *Matrix) { k.MulT(x, y, rows, w, false) })
}

func BenchmarkMulGrad(b *testing.B) {
	eachBench(b, func(b *testing.B, k *Kernels) {
		for _, s := range benchShapes {
			rows, out, in := s[0], s[1], s[2]
			b.Run(fmt.Sprintf("%dx%dx%d", rows, out, in), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 1))
				dw, dy, x := make([]float32, out*in), normal(rng, rows*out), normal(rng, rows*in)
				for b.Loop() {
					k.MulGrad(dw, dy, x, rows, out, in)
				}
				perSecond(b, 2*float64(rows)*float64(out)*float64(in), "GFLOP/s")
			})
		}
	})
}

// BenchmarkPeak is a product that never leaves the first-level cache, close to the most that this core's multipliers do: the
// other figures are to be compared with it.
func BenchmarkPeak(b *testing.B) {
	for _, set := range testSets() {
		b.Run(set, func(b *testing.B) {
			k := open(b, set, 1)
			rng := rand.New(rand.NewPCG(1, 1))
			const rows, depth = 12, 200
			y, x, w := make([]float32, 2*rows*panelWidth), normal(rng, rows*depth), k.Pack(2*panelWidth, depth, normal(rng, 2*panelWidth*depth))
			for b.Loop() {
				k.Mul(y, x, rows, w, false)
			}
			perSecond(b, 2*rows*depth*2*panelWidth, "GFLOP/s")
		})
	}
}

// BenchmarkLongPeak is the loop that Peak times for moments, over as long as products take: how much of Peak this machine holds.
func BenchmarkLongPeak(b *testing.B) {
	eachBench(b, func(b *testing.B, k *Kernels) {
		f32, bf16 := k.Peak()
		for _, loop := range []struct {
			name string
			step func(n int) int
			peak float64
		}{{"f32", k.set.peak, f32}, {"bf16", k.set.lowOf(lowFewRows + 1).peak, bf16}} {
			b.Run(loop.name, func(b *testing.B) {
				perThread := 0
				for b.Loop() {
					k.Run(k.Threads(), func(i int) {
						n := 0
						for range 1000 {
							n += loop.step(peakSteps)
						}
						if i == 0 {
							perThread = n
						}
					})
				}
				rate := float64(perThread*k.Threads()) * float64(b.N) / b.Elapsed().Seconds() / 1e9
				b.ReportMetric(100*rate/loop.peak, "%peak")
			})
		}
	})
}

func BenchmarkRun(b *testing.B) {
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprint(threads), func(b *testing.B) {
			k := open(b, "", threads)
			for b.Loop() {
				k.Run(threads, func(int) {})
			}
		})
	}
}

func benchRows(b *testing.B, name string, n int, f func(k *Kernels, x, y, z []float32)) {
	for _, set := range testSets() {
		b.Run(fmt.Sprintf("%s/%s/%d", name, set, n), func(b *testing.B) {
			k := open(b, set, 1)
			rng := rand.New(rand.NewPCG(1, 1))
			x, y, z := normal(rng, n), normal(rng, n), normal(rng, n)
			for b.Loop() {
				f(k, x, y, z)
			}
			perSecond(b, float64(n), "values/ns")
		})
	}
}

func BenchmarkRows(b *testing.B) {
	for _, n := range []int{128, 400, 8192} {
		benchRows(b, "Exp", n, func(k *Kernels, x, y, _ []float32) { k.Exp(y, x) })
		benchRows(b, "LogSumExp", n, func(k *Kernels, x, _, _ []float32) { k.LogSumExp(x) })
		benchRows(b, "SoftmaxSum", n, func(k *Kernels, x, _, _ []float32) { k.SoftmaxSum(x) })
		benchRows(b, "Probabilities", n, func(k *Kernels, x, _, _ []float32) { k.Probabilities(x, 2, 0.5) })
		benchRows(b, "SwiGLU", n, func(k *Kernels, x, y, z []float32) { k.SwiGLU(z, x, y) })
		benchRows(b, "SwiGLUGrad", n, func(k *Kernels, x, y, z []float32) { k.SwiGLUGrad(x, y, z) })
		benchRows(b, "RMSNorm", n, func(k *Kernels, x, y, z []float32) { k.RMSNorm(z, x, y, 1e-6) })
		benchRows(b, "Dot", n, func(k *Kernels, x, y, _ []float32) { k.Dot(x, y) })
	}
}

// BenchmarkAttention has a block of 48 queries of a head of 64, or 3 as in decoding, and 512 keys.
func BenchmarkAttention(b *testing.B) {
	const n, d = 512, 64
	for _, set := range testSets() {
		for _, rows := range []int{3, 48} {
			k := open(b, set, 1)
			rng := rand.New(rand.NewPCG(1, 1))
			q, keys, p := normal(rng, rows*d), normal(rng, n*d), make([]float32, rows*(n+panelWidth))
			for name, f := range map[string]func(){
				"Scores":   func() { k.MulPanels(p, n+panelWidth, q, d, rows, d, keys, d*panelWidth, n/panelWidth, false) },
				"Sum":      func() { k.MulPanels(q, d, p, n+panelWidth, rows, n, keys, n*panelWidth, d/panelWidth, false) },
				"Gradient": func() { k.OuterPanels(keys, d, p, n+panelWidth, n, rows, q, d, d/panelWidth) },
			} {
				b.Run(fmt.Sprintf("%s/%s/%d", name, set, rows), func(b *testing.B) {
					clear(p)
					for b.Loop() {
						f()
					}
					perSecond(b, 2*n*d*float64(rows), "GFLOP/s")
				})
			}
		}
	}
}

// BenchmarkTileInCache is one float32 tile over and over, whose operands stay in the first-level cache, in turns with the register-only loop: what no
// product can exceed. On some processors loads lower the clock, though they do not keep a tile waiting.
func BenchmarkTileInCache(b *testing.B) {
	const depth, panels, turn = 160, 2, 100 * time.Millisecond
	eachBench(b, func(b *testing.B, k *Kernels) {
		tiles := make([]block, k.Threads())
		rng := rand.New(rand.NewPCG(1, 1))
		for i := range tiles {
			tiles[i] = block{
				c: make([]float32, tileRows*panels*panelWidth), a: normal(rng, tileRows*depth), b: normal(rng, panels*panelWidth*depth),
				ldc: panels * panelWidth, lda: depth, ldb: panelWidth * depth, depth: depth, rows: tileRows, panels: panels,
			}
		}
		tile := func(thread int, again func() bool) int {
			done := 0
			for again() {
				for range 100 {
					k.set.multiply(tiles[thread])
				}
				done += 100 * 2 * tileRows * panels * panelWidth * depth
			}
			return done
		}
		rate, peak := 0.0, 0.0
		for b.Loop() {
			peak += k.PeakOver(engine.F32, turn)
			rate += k.once(tile, turn) / 1e9
		}
		b.ReportMetric(rate/float64(b.N), "GFLOP/s")
		b.ReportMetric(100*rate/peak, "%peak")
	})
}
