package learn

import "math"

// AutoRate stands for the learning rate that [AutomaticRate] gives.
const AutoRate = -1.

// The rate that the rule starts from: that of the shipped tiny recipes, whose base has so many parameters and whose adapters have this scale.
const (
	tinyRate       = 1e-3
	tinyParameters = 1e6
	usualAlpha     = 16 // over rank 8: alpha/√rank below
	usualRank      = 8
	// fullShare is the rate of a full copy as a share of that of a usual adapter.
	fullShare = 0.1
)

// AutomaticRate is the learning rate of adapters on a base of so many parameters:
//
//	10⁻³ · min(1, (10⁶/parameters)^¼) · (16/√8) / (alpha/√rank)
//
// AdamW moves every entry of an adapter by about the rate in a step, whatever the gradient's scale. A wider base adds up more of these moves in
// each of its outputs, so its rate is lower; and so is that of an adapter whose output is scaled up, alpha/rank times a sum over its ranks.
// A full copy of the base has a tenth of what a usual adapter has: its step moves every weight by about the rate, and that of an adapter at
// first none of the product of its two matrices.
// The result lies between 10⁻⁶ and 3·10⁻³.
func AutomaticRate(parameters int, p Policies) float64 {
	size := math.Pow(tinyParameters/float64(max(parameters, 1)), 0.25)
	if p.Full {
		return ruleOfThumb(fullShare * tinyRate * min(1, size))
	}
	scale := (usualAlpha / math.Sqrt(usualRank)) / (p.Alpha / math.Sqrt(float64(max(p.Rank, 1))))
	rate := tinyRate * min(1, size) * scale
	return ruleOfThumb(rate)
}

// ruleOfThumb keeps a rate within bounds, and two of its digits.
func ruleOfThumb(rate float64) float64 {
	rate = min(3e-3, max(1e-6, rate))
	digits := math.Pow(10, 1-math.Floor(math.Log10(rate)))
	return math.Round(rate*digits) / digits
}
