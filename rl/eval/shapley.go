package eval

import (
	"math"
	"slices"

	"parley/internal/seed"
)

// This file shares what a team scores among its members: Shapley's value (1953). With v(S) what the members S score without the others, and N all of
// n members,
//
//	φ_i = Σ over S without i of |S|!(n−|S|−1)!/n! · (v(S and i) − v(S))
//
// which is the mean, over all n! orders in which they may come, of what i adds to those who came before it. Written so, some orders drawn at random give
// an estimate without bias (Castro, Gómez and Tejada 2009), and within each of them the parts add up to v(N) − v(∅), exactly.

// A Coalition is some members of a team: bit i stands for member i, from 0.
type Coalition uint64

// MostMembers is how many members a team may have that is shared out: a [Coalition] has no more bits.
const MostMembers = 63

// With is the coalition with one member more.
func (c Coalition) With(member int) Coalition { return c | 1<<member }

// Has says whether a member is in it.
func (c Coalition) Has(member int) bool { return c>>member&1 == 1 }

// Orders are all orders in which n members may come.
func Orders(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var out [][]int
	for _, before := range Orders(n - 1) {
		for at := range n {
			out = append(out, slices.Insert(slices.Clone(before), at, n-1))
		}
	}
	return out
}

// DrawnOrders are so many of them, each drawn from all. The same stream gives the same ones.
func DrawnOrders(n, count int, stream uint64) [][]int {
	rng, out := seed.Stream(stream), make([][]int, count)
	for i := range out {
		out[i] = rng.Perm(n)
	}
	return out
}

// Coalitions are those that form while members come, each once: everybody and nobody first, the smaller ones later.
func Coalitions(orders [][]int) []Coalition {
	var out []Coalition
	seen := map[Coalition]bool{}
	add := func(c Coalition) {
		if !seen[c] {
			seen[c], out = true, append(out, c)
		}
	}
	for _, order := range orders {
		all := Coalition(0)
		for _, member := range order {
			all = all.With(member)
		}
		add(all)
	}
	add(0)
	for _, order := range orders {
		c := Coalition(0)
		for _, member := range order {
			c = c.With(member)
			add(c)
		}
	}
	return out
}

// A Share is the part of one member in what a team scores.
type Share struct {
	Values []float64 // problem by problem
	Error  float64   // standard error of their mean for other orders; 0 where there is one order alone, and meaningless where these are all
}

// Shapley shares out what coalitions score, worth, one number a problem in the same order: over all orders exactly, over drawn ones as an estimate.
// The shares of a problem add up to what everybody scores there less what nobody does.
func Shapley(orders [][]int, worth func(Coalition) []float64) []Share {
	if len(orders) == 0 {
		return nil
	}
	n := float64(len(orders))
	shares, means := make([]Share, len(orders[0])), make([][]float64, len(orders[0]))
	for i := range shares {
		shares[i].Values = make([]float64, len(worth(0)))
	}
	for _, order := range orders {
		c := Coalition(0)
		for _, member := range order {
			before, after := worth(c), worth(c.With(member))
			c = c.With(member)
			for p := range after {
				shares[member].Values[p] += (after[p] - before[p]) / n
			}
			means[member] = append(means[member], Mean(after)-Mean(before))
		}
	}
	for i := range shares {
		shares[i].Error = math.Sqrt(ofMean(means[i]).variance)
	}
	return shares
}
