package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"parley/engine"
)

// What adapters add beside a product has the bits of products that accumulate afterwards, in every format of the base.
func TestLowRank(t *testing.T) {
	for _, name := range testSets() {
		k := open(t, name, 2)
		rapid.Check(t, func(rt *rapid.T) {
			rows, out, in := rapid.IntRange(1, 2*rowBlock+5).Draw(rt, "rows"), rapid.IntRange(1, 150).Draw(rt, "out"), rapid.IntRange(1, 150).Draw(rt, "in")
			accumulate := rapid.Bool().Draw(rt, "accumulate")
			rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
			for _, f := range formats {
				w := k.PackAs(f, out, in, normal(rng, out*in))
				x, dy := normal(rng, rows*in), normal(rng, rows*out)
				beside, under := lowRanks(rt, k, rng, rows, out, in)
				y, dx := normal(rng, rows*out), normal(rng, rows*in)

				got, check := fenced(t, y)
				want, _ := fenced(t, y)
				k.MulAllPlus([][]float32{got}, x, rows, []*Matrix{w}, accumulate, [][]LowRank{beside})
				k.Mul(want, x, rows, w, accumulate)
				for _, l := range beside {
					k.Mul(want[l.From*out:], l.Z, l.Rows, l.W, true)
				}
				check()
				sameBits(rt, fmt.Sprint(name, " MulAll over ", f), got, want)

				got, check = fenced(t, dx)
				want, _ = fenced(t, dx)
				k.MulTPlus(got, dy, rows, w, accumulate, under)
				k.MulT(want, dy, rows, w, accumulate)
				for _, l := range under {
					k.MulT(want[l.From*in:], l.Z, l.Rows, l.W, true)
				}
				check()
				sameBits(rt, fmt.Sprint(name, " MulT over ", f), got, want)
			}
		})
	}
}

// lowRanks draws the parts of some adapters: those beside y [rows, out], and those under dx [rows, in].
func lowRanks(rt *rapid.T, k *Kernels, rng *rand.Rand, rows, out, in int) (beside, under []LowRank) {
	for from := 0; from < rows; {
		n := rapid.IntRange(1, rows-from).Draw(rt, "rows of a run")
		rank := rapid.IntRange(1, 40).Draw(rt, "rank")
		if rapid.Bool().Draw(rt, "adapted") {
			z := normal(rng, n*rank)
			beside = append(beside, LowRank{from, n, z, k.Pack(out, rank, normal(rng, out*rank))})
			under = append(under, LowRank{from, n, z, k.Pack(rank, in, normal(rng, rank*in))})
		}
		from += n
	}
	return beside, under
}

// MulT over very many outputs goes over them in ranges, and adds what adapters add once.
func TestLowRankDeep(t *testing.T) {
	k := open(t, Available()[0], 2)
	rng := rand.New(rand.NewPCG(3, 4))
	const rows, out, in, rank = depthBlockedRows, depthBlockedOutputs + 16, 20, 8
	for _, f := range []engine.Format{engine.F32, engine.BF16} {
		w, dy := k.PackAs(f, out, in, normal(rng, out*in)), normal(rng, rows*out)
		l := LowRank{2, rows - 2, normal(rng, (rows-2)*rank), k.Pack(rank, in, normal(rng, rank*in))}
		got, want := make([]float32, rows*in), make([]float32, rows*in)
		k.MulTPlus(got, dy, rows, w, false, []LowRank{l})
		k.MulT(want, dy, rows, w, false)
		k.MulT(want[l.From*in:], l.Z, l.Rows, l.W, true)
		sameBits(t, f.String(), got, want)
	}
}
