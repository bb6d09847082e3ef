package native

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"parley/engine"
	"parley/model/config"
)

// heads is one layer with the attention of SmolLM2-135M: 9 heads of 64 that share 3 key heads.
var heads = config.Config{
	ModelType: "llama", Vocab: 400, Hidden: 576, Intermediate: 64, Layers: 1, Heads: 9, KVHeads: 3, HeadDim: 64,
	Context: 4096, NormEps: 1e-5, Rope: config.Rope{Theta: 10000}, Tied: true,
}

// attentionOf prepares the attention of a pass over sequences that share their first tokens, with random activations, and
// returns how many multiply-adds of scores it has in all heads.
func attentionOf(b *testing.B, e *Engine, sequences, shared, own int) (c *computation, a *activations, work float64) {
	b.Helper()
	var f forest
	p := e.policies[engine.Base]
	for i := range sequences {
		tokens := make([]int, shared+own)
		for j := shared; j < len(tokens); j++ {
			tokens[j] = (i + j) % e.shape.Vocab
		}
		f.insert(p, tokens, 0)
	}
	c = e.computation(e.base, f.packed(e.base), true)
	a = c.newActivations()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, x := range [][]float32{a.q, a.k, a.v} {
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
	}
	for _, at := range c.pass.at {
		work += float64((at + 1) * e.shape.QueryWidth())
	}
	return c, a, work
}

// BenchmarkAttention counts two products forward and five backward, over what rows see.
func BenchmarkAttention(b *testing.B) {
	for _, s := range []struct {
		name                   string
		sequences, shared, own int
	}{{"8x512", 8, 0, 512}, {"1x2048", 1, 0, 2048}, {"group of 8x128 on 256", 8, 256, 128}} {
		e := openTiny(b, heads, engine.Options{})
		c, a, work := attentionOf(b, e, s.sequences, s.shared, s.own)
		b.Run(s.name+"/forward", func(b *testing.B) {
			for b.Loop() {
				c.attend(0, a)
			}
			b.ReportMetric(2*2*work*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
		b.Run(s.name+"/backward", func(b *testing.B) {
			datt, dq, dk, dv := c.arena.floats(len(a.q)), c.arena.floats(len(a.q)), c.arena.floats(len(a.k)), c.arena.floats(len(a.v))
			copy(datt, a.q)
			for b.Loop() {
				c.attendBackward(0, a, datt, dq, dk, dv)
			}
			b.ReportMetric(5*2*work*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

// BenchmarkDecodeAttention has 32 requests that go on after 256 tokens, of their own or common to them. An iteration is the attention of the 30 layers of
// SmolLM2-135M, whose keys and values come from memory, or that of one layer 30 times, whose keys and values stay in a cache.
func BenchmarkDecodeAttention(b *testing.B) {
	const calls = 30
	for _, format := range []engine.Format{engine.F32, engine.BF16} {
		for name, layers := range map[string]int{"memory": calls, "cache": 1} {
			for text, common := range map[string]bool{"own prompts": false, "one prompt": true} {
				b.Run(fmt.Sprintf("%v/%s/%s", format, text, name), func(b *testing.B) {
					deep := heads
					deep.Layers = layers
					e := openTiny(b, deep, engine.Options{Format: format})
					c := decodingOf(e, common)
					a := c.newActivations()
					for b.Loop() {
						for i := range calls {
							c.attend(i%layers, a)
						}
					}
					b.ReportMetric(calls*2*2*32*266*float64(e.shape.QueryWidth())*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
				})
			}
		}
	}
}

// decodingOf prepares a step of those requests.
func decodingOf(e *Engine, common bool) *computation {
	var pages pagePool
	ones := make([]float32, e.shape.HeadDim)
	page := func(tokens int) *page {
		p := pages.get(&e.shape, e.base, tokens)
		for layer := range e.shape.Layers { // memory that nobody wrote to may all be the same
			for kv := range e.shape.KVHeads {
				s := e.shape.kvSlot(p.data.Stored, layer, p.capacity, kv, 0)
				for at := range p.capacity {
					e.k.PutRow(s.rows, s.stride, at, ones)
					e.k.TransposeStored(s.transposed.From(at/16*16*len(ones)), at%16, ones, len(ones), 1, len(ones))
				}
			}
		}
		return p
	}
	p, top := &pass{}, &segment{}
	for i := range 32 {
		if i == 0 || !common {
			top = &segment{tokens: make([]int, 256), page: page(256)}
		}
		leaf := &segment{parent: top, tokens: make([]int, 10), start: 256, page: page(pageTokens)}
		p.addLeaf(e.policies[engine.Base], leaf, leaf.path())
	}
	return e.computation(e.base, p, false)
}
