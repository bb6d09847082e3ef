package kernel

import (
	"math/rand/v2"
	"testing"
)

// TestSmallMGradients: gradients with few rows or few columns have the bits of the chain that the plain set computes, wherever
// the wide operand is cut, and that of one is the other's transposed.
func TestSmallMGradients(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		for i, s := range [][3]int{{1, 1, 1}, {5, 8, 0}, {140, 8, 200}, {300, 24, 1030}, {129, 48, 130}, {513, 16, 64}, {40, 3, 33}} {
			rows, rank, wide := s[0], s[1], s[2]
			rng := rand.New(rand.NewPCG(uint64(i), 5))
			z, x, start := normal(rng, rows*rank), normal(rng, rows*wide), normal(rng, rank*wide)
			thin, checkThin := fenced(t, start)
			tall, checkTall := fenced(t, transposeOf(start, rank, wide))
			k.MulGrad(thin, z, x, rows, rank, wide)
			k.MulGrad(tall, x, z, rows, wide, rank)
			checkThin()
			checkTall()
			sameBits(t, "transposed", thin, transposeOf(tall, wide, rank))
			for r := range rank {
				for c := range wide {
					want := chain(start[r*wide+c], rows, func(d int) float32 { return z[d*rank+r] }, func(d int) float32 { return x[d*wide+c] })
					want.within(t, thin[r*wide+c], rows, "gradient", s, r, c)
				}
			}
		}
	}, 1, 3)
}

// transposeOf returns m [rows, columns] as [columns, rows].
func transposeOf(m []float32, rows, columns int) []float32 {
	turned := make([]float32, len(m))
	for r := range rows {
		for c := range columns {
			turned[c*rows+r] = m[r*columns+c]
		}
	}
	return turned
}
