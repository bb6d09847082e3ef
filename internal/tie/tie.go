// Package tie says when two rewards are one. Rewards are sums and means of floating-point numbers, so that two that ought to be equal, such as
// 0.1 + 0.2 and 0.3, differ by rounding. What such a difference decides, noise decides.
//
// Wherever rewards, scores or shares are compared, the comparison is one of this package: a difference of at most [Share] of the range that
// they come from is none.
//
//	Equal, Above   two numbers
//	Best           the first of the greatest
//	Levels         many numbers, to be sorted or compared in pairs: equality of pairs need not carry over from pair to pair
//	Clip           a number that may lie outside of its range by rounding
package tie

import (
	"cmp"
	"math"
	"slices"
)

// Share is the part of a range that counts as rounding.
const Share = 1e-9

// Equal reports whether a and b, which come from a range of a width, are one. Where the range has no width, or none that is finite, that of
// the numbers themselves takes its place. An infinity is equal to itself alone.
func Equal(a, b, width float64) bool {
	apart := math.Abs(a - b)
	return a == b || !math.IsInf(apart, 1) && apart <= Share*scale(a, b, width)
}

// Above reports whether a is greater than b by more than rounding.
func Above(a, b, width float64) bool { return a > b && !Equal(a, b, width) }

func scale(a, b, width float64) float64 {
	if width > 0 && !math.IsInf(width, 1) {
		return width
	}
	return max(math.Abs(a), math.Abs(b))
}

// Best returns the index of the first of the greatest values; there must be some.
func Best(values []float64, width float64) int {
	most := slices.Max(values)
	return slices.IndexFunc(values, func(x float64) bool { return Equal(x, most, width) })
}

// All reports whether all values are one.
func All(values []float64, width float64) bool {
	return len(values) < 2 || Equal(slices.Min(values), slices.Max(values), width)
}

// Levels returns the values, of each run of neighbours that are one the least for all of them: what is left differs, or is equal exactly. Where
// nothing differs by rounding alone the values are as they were.
func Levels(values []float64, width float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	out := slices.Clone(values)
	for k := 1; k < len(order); k++ {
		before, at := order[k-1], order[k]
		if Equal(values[before], values[at], width) {
			out[at] = out[before]
		}
	}
	return out
}

// Clip returns x within [least, most] where it lies outside by rounding alone. ok is false where it lies farther outside, or is no number.
func Clip(x, least, most float64) (clipped float64, ok bool) {
	clipped = min(max(x, least), most)
	return clipped, Equal(x, clipped, most-least)
}
