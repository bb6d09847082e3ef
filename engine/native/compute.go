package native

import (
	"parley/engine/native/kernel"
	"parley/model/config"
)

// A computation takes one pass through its net, forward and, where its activations are kept, backward.
//
// Every number that it computes depends on the token's own history and on parameters alone: products, norms and sums over keys
// are chains in a fixed order, whatever the rows around them. That makes the log-probability that a token was sampled with
// the one that it is scored with, bit for bit.
type computation struct {
	k          *kernel.Kernels
	shape      *shape
	family     *config.Family
	net        *net
	ropeTables *ropeTables
	arena      *arena
	scratch    *scratchPool
	pass       *pass
	keep       bool // activations are kept for a backward pass

	cached     []cachedRow // [rows] where sampling kept all that the layers computed for them: there is no forward pass; nil: nowhere
	recomputed int         // of the first so many layers the backward pass computes activations again

	saved  []*activations // [layers] for the backward pass
	output []float32      // [rows, hidden] after the last layer
	inv    []float32      // [rows] of the final norm
	hidden []float32      // [rows, hidden] after the final norm

	forwardBlocks, backwardBlocks []rowBlock // of attention, forward and backward; nil: not cut yet

	rowTiles []rowTile // of the steps of a layer that look at one row at a time; nil: not cut yet

	lowRanks [3][]kernel.LowRank // what adapters add in a projection group, while its products are computed
	prefetch *kernel.Prefetch    // what is read after a product: memory for the list
}

// activations are what one layer leaves behind.
type activations struct {
	x, mid     []float32 // [rows, hidden] what enters the attention block, and the MLP
	inv1, inv2 []float32 // [rows] of their norms
	q, att     []float32 // [rows, heads·dim] queries, rotated; what attention returns
	k, v       []float32 // [rows, kv heads·dim] keys, rotated; values
	gate, up   []float32 // [rows, intermediate]
	// Only with q and k norms: the heads before their norm, and its inv for each, or for all of a row.
	qRaw, kRaw, qInv, kInv []float32
	// Only with norms after the blocks: what the blocks return before them, [rows, hidden], and the inv of each row.
	raw1, raw2, rawInv1, rawInv2 []float32
	lowRank                      [config.NumProjections][]float32 // of the adapters: [rows, most rank of a run], and in the rows of each run [its rows, its rank]
}

func (c *computation) newActivations() *activations {
	n, g := c.pass.rows(), c.shape
	a := &activations{
		mid: c.arena.floats(n * g.Hidden), inv1: c.arena.floats(n), inv2: c.arena.floats(n),
		q: c.arena.floats(n * g.QueryWidth()), att: c.arena.floats(n * g.QueryWidth()),
		k: c.arena.floats(n * g.KeyWidth()), v: c.arena.floats(n * g.KeyWidth()),
		gate: c.arena.floats(n * g.Intermediate), up: c.arena.floats(n * g.Intermediate),
	}
	if c.family.QKNorm {
		queries, keys := g.Heads, g.KVHeads
		if c.family.WholeQKNorm {
			queries, keys = 1, 1
		}
		a.qRaw, a.qInv = c.arena.floats(n*g.QueryWidth()), c.arena.floats(n*queries)
		a.kRaw, a.kInv = c.arena.floats(n*g.KeyWidth()), c.arena.floats(n*keys)
	}
	if c.family.PostNorms {
		a.raw1, a.rawInv1 = c.arena.floats(n*g.Hidden), c.arena.floats(n)
		a.raw2, a.rawInv2 = c.arena.floats(n*g.Hidden), c.arena.floats(n)
	}
	return a
}

// zeros returns a buffer of n zeros, cleared on all threads.
func (c *computation) zeros(n int) []float32 {
	b := c.arena.floats(n)
	c.parallel(n, func(lo, hi int) { clear(b[lo:hi]) })
	return b
}

// parallel calls f for pieces of the rows 0, ..., n-1 on all threads.
func (c *computation) parallel(n int, f func(lo, hi int)) {
	size := max(8, (n+4*c.k.Threads()-1)/(4*c.k.Threads()))
	c.k.Run((n+size-1)/size, func(i int) { f(i*size, min(n, (i+1)*size)) })
}

// row returns row i of a matrix that is width wide.
func row(x []float32, i, width int) []float32 { return x[i*width : (i+1)*width] }
