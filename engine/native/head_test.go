package native

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/engine"
	"parley/engine/native/kernel"
	"parley/internal/seed"
	"parley/model/config"
)

// wide is a model whose vocabulary takes several blocks of columns, and ends in the middle of one.
var wide = func() config.Config {
	c := tiny
	c.Vocab = 2*kernel.SumBlock + 2*gradientColumns + 37
	return c
}()

// Gradients are the same bits whether logits are kept for the backward pass or computed again in blocks of columns, on every set.
func TestHeadInColumns(t *testing.T) {
	for _, set := range kernel.Available() {
		t.Run(set, func(t *testing.T) {
			e := openTiny(t, wide, engine.Options{Kernels: set})
			data := kin(lively(t, e)[1:], 16, wide.Vocab)
			want := gradients(t, e, data, 16)
			e.maxSavedLogits = 0
			sameBits(t, "in columns", gradients(t, e, data, 16), want)
		})
	}
}

// What a token is sampled with is what it is scored with, where the sampler has whole rows of logits and the trainer columns.
func TestSamplerEqualsTrainerInColumns(t *testing.T) {
	for _, set := range kernel.Available() {
		t.Run(set, func(t *testing.T) {
			engines := []*Engine{openTiny(t, wide, engine.Options{Kernels: set}), openTiny(t, wide, engine.Options{Kernels: set, Threads: 1, BatchTokens: 9})}
			policies := lively(t, engines[0])
			lively(t, engines[1])
			rapid.Check(t, func(rt *rapid.T) { samplerEqualsTrainer(t, rt, engines, policies) })
		})
	}
}

// The same over bases of low precision whose inputs fill whole blocks of codes, as the kernels of nf4 want them.
func TestLowHeadInColumns(t *testing.T) {
	const draws = 8 // rapid's own number would take a minute
	c := wide
	c.Hidden, c.Intermediate, c.HeadDim, c.Layers = 64, 128, 16, 1
	for _, set := range kernel.Available()[1:] {
		for _, f := range low {
			t.Run(set+"/"+f.String(), func(t *testing.T) {
				e := openTiny(t, c, engine.Options{Kernels: set, Format: f})
				engines := []*Engine{e, openTiny(t, c, engine.Options{Kernels: set, Format: f, Threads: 1, BatchTokens: 9})}
				policies := slices.DeleteFunc(lively(t, e), func(p engine.Policy) bool { return p == "full" })
				lively(t, engines[1])
				drawn := 0
				rapid.Check(t, func(rt *rapid.T) {
					if drawn++; drawn <= draws {
						samplerEqualsTrainer(t, rt, engines, policies)
					}
				})
				data := kin(policies[1:], 16, c.Vocab)
				want := gradients(t, e, data, 16)
				e.maxSavedLogits = 0
				sameBits(t, "in columns", gradients(t, e, data, 16), want)
			})
		}
	}
}

// Gradients in columns are derivatives.
func TestGradientInColumns(t *testing.T) {
	e := openTiny(t, wide, engine.Options{})
	e.maxSavedLogits = 0
	for _, p := range lively(t, e)[1:] {
		checkDerivative(t, e, e.policies[p], kin([]engine.Policy{p}, 6, wide.Vocab))
	}
}

// plainDraw is what a draw does, in float64 and in one pass.
func plainDraw(z []float32, u float64) (token int, distance float64) {
	top, total := float64(slices.Max(z)), 0.0
	weight := func(t int) float64 { return math.Exp(float64(z[t]) - top) }
	for t := range z {
		total += weight(t)
	}
	token, distance = -1, 1
	sum := 0.0
	for t := range z {
		w := weight(t)
		sum += w
		distance = min(distance, math.Abs(sum/total-u))
		if token < 0 && w > 0 && sum > u*total {
			token = t
		}
	}
	return token, distance
}

// A draw inverts the cumulative distribution, whatever is masked or cut: unless u lies within rounding of a step.
func TestDrawInverts(t *testing.T) {
	k := newKernels(t)
	c := &computation{k: k, scratch: &scratchPool{}}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 7, kernel.SumBlock, kernel.SumBlock + 1, 3*kernel.SumBlock + 5}).Draw(t, "tokens")
		stream := seed.Stream(rapid.Uint64().Draw(t, "seed"))
		z := make([]float32, n)
		for i := range z {
			z[i] = float32(stream.NormFloat64() * 4)
			if stream.Float64() < 0.3 {
				z[i] = negativeInfinity
			}
		}
		z[rapid.IntRange(0, n-1).Draw(t, "peak")] = 12
		masked := rapid.SliceOfN(rapid.IntRange(-1, n), 0, 4).Draw(t, "masked")
		u := stream.Float64()
		mask{ids: masked}.apply(z, 0, -1)
		d := newCategorical(c, z)
		defer c.scratch.put(d.scratch)
		if norm := d.logNormalizer(); math.Float32bits(norm) != math.Float32bits(k.LogSumExp(z)) {
			t.Fatalf("the norm is %v, log-sum-exp %v", norm, k.LogSumExp(z))
		}
		want, distance := plainDraw(z, u)
		if got := d.invertCDF(u); got != want && distance > 1e-6 {
			t.Fatalf("u = %v draws %d, want %d (distance of a step %g)", u, got, want, distance)
		}
		best := -1
		for i, v := range z {
			if v > negativeInfinity && (best < 0 || v > z[best]) {
				best = i
			}
		}
		if got := d.argmax(); got != best {
			t.Fatalf("the largest is %d, want %d", got, best)
		}
	})
}

// A draw allocates nothing in steady state.
func BenchmarkDraw(b *testing.B) {
	for _, how := range []engine.Sampling{{}, {Temperature: 1}, {Temperature: 0.7, TopP: 0.9}} {
		b.Run(fmt.Sprintf("%+v", how), func(b *testing.B) {
			k, err := kernel.New("", 1)
			if err != nil {
				b.Fatal(err)
			}
			defer k.Close()
			c := &computation{k: k, scratch: &scratchPool{}}
			stream := seed.Stream(1)
			z, logits := make([]float32, 49152), make([]float32, 49152)
			for i := range logits {
				logits[i] = float32(stream.NormFloat64() * 3)
			}
			r := &request{SampleRequest: &engine.SampleRequest{Sampling: how}, sampling: normalized(how), random: stream}
			b.ReportAllocs()
			for b.Loop() {
				copy(z, logits)
				sampleToken(c, z, r, mask{})
			}
		})
	}
}
