package native

import (
	"math"
	"slices"

	"parley/engine/native/kernel"
)

// A categorical samples one token by its log-weights z. It sums their exponentials by blocks of kernel.SumBlock tokens, as the norm does,
// and goes into one block only.
type categorical struct {
	*computation
	scratch *scratch
	z       []float32 // [vocab]
	tops    []float32 // [backwardBlocks] the largest log-weight of each block
	sums    []float32 // [backwardBlocks] Σ e^(z - top)
	block   []float32 // [kernel.SumBlock] to work in
}

func newCategorical(c *computation, z []float32) categorical {
	n := (len(z) + kernel.SumBlock - 1) / kernel.SumBlock
	l := c.scratch.get(2*n + kernel.SumBlock)
	buf := cutter(l.floats)
	return categorical{computation: c, scratch: l, z: z, tops: buf.cut(n), sums: buf.cut(n), block: buf.cut(kernel.SumBlock)}
}

// logWeights returns the log-weights of block b.
func (d *categorical) logWeights(b int) []float32 {
	return d.z[b*kernel.SumBlock : min(len(d.z), (b+1)*kernel.SumBlock)]
}

// logNormalizer sums the blocks and returns the log of the sum of all, which is LogSumExp of z.
func (d *categorical) logNormalizer() float32 {
	l := kernel.NewLogSum()
	for b := range d.tops {
		d.tops[b], d.sums[b] = d.k.SumBlock(d.logWeights(b))
		l.Add(d.tops[b], d.sums[b])
	}
	return l.Log()
}

// argmax returns the first of the tokens with the largest weight, -1 where there is none.
func (d *categorical) argmax() int {
	best := -1
	for b, top := range d.tops {
		if top > negativeInfinity && (best < 0 || top > d.tops[best]) {
			best = b
		}
	}
	if best < 0 {
		return -1
	}
	return best*kernel.SumBlock + slices.Index(d.logWeights(best), d.tops[best])
}

// invertCDF returns the first token at which the cumulative weight passes u of the total, -1 where nothing is left to draw.
func (d *categorical) invertCDF(u float64) int {
	if len(d.tops) == 0 {
		return -1
	}
	top, total := slices.Max(d.tops), 0.0
	for b := range d.tops {
		total += d.weight(b, top)
	}
	last, before, sum := -1, 0.0, 0.0
	for b := range d.tops {
		if w := d.weight(b, top); w > 0 {
			last, before = b, sum
			if sum += w; sum > u*total {
				break
			}
		}
	}
	if last < 0 {
		return -1
	}
	return last*kernel.SumBlock + d.invertInBlock(last, (u*total-before)/d.weight(last, top)*float64(d.sums[last]))
}

// weight is the weight of block b, in units of that of a token whose log-weight is top.
func (d *categorical) weight(b int, top float32) float64 {
	if d.sums[b] == 0 {
		return 0
	}
	return float64(d.sums[b]) * math.Exp(float64(d.tops[b])-float64(top))
}

// invertInBlock returns the first word of block b at which the cumulative weight passes rest, in units of the block's top. Where
// rounding leaves none, it is the last word that has weight.
func (d *categorical) invertInBlock(b int, rest float64) int {
	w := d.block[:copy(d.block, d.logWeights(b))]
	d.k.Probabilities(w, d.tops[b], 1)
	last, sum := 0, 0.0
	for i, p := range w {
		if p > 0 {
			last = i
			if sum += float64(p); sum > rest {
				break
			}
		}
	}
	return last
}
