package reward

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Processor transforms a joint reward before credit is given (MAGRPO §17). tokens is the length of what earned it, over all
// agents. Every processor that does not read tokens is monotone; scores keep their order under it, unless a factor is negative.
type Processor interface {
	Process(reward float64, tokens int) float64
	// Range returns the least and the greatest value that rewards between least and greatest can become.
	Range(least, greatest float64) (float64, float64)
}

// A Chain applies processors one after another. The empty chain is the identity.
type Chain []Processor

// Process implements [Processor].
func (c Chain) Process(reward float64, tokens int) float64 {
	for _, p := range c {
		reward = p.Process(reward, tokens)
	}
	return reward
}

// Range implements [Processor].
func (c Chain) Range(least, greatest float64) (float64, float64) {
	for _, p := range c {
		least, greatest = p.Range(least, greatest)
	}
	return least, greatest
}

// A pointwise processor is a monotone function of the reward alone.
type pointwise func(float64) float64

func (f pointwise) Process(reward float64, _ int) float64 { return f(reward) }

func (f pointwise) Range(least, greatest float64) (float64, float64) {
	a, b := f(least), f(greatest)
	return min(a, b), max(a, b)
}

// Identity changes nothing.
func Identity() Processor { return pointwise(func(r float64) float64 { return r }) }

// Clamp cuts rewards to [least, greatest].
func Clamp(least, greatest float64) Processor {
	return pointwise(func(r float64) float64 { return min(greatest, max(least, r)) })
}

// Scale multiplies by factor.
func Scale(factor float64) Processor { return pointwise(func(r float64) float64 { return factor * r }) }

// Shift adds by.
func Shift(by float64) Processor { return pointwise(func(r float64) float64 { return r + by }) }

// SigmoidScale maps to (0, 1): 1/(1+e^{-steepness·r}).
func SigmoidScale(steepness float64) Processor {
	return pointwise(func(r float64) float64 { return 1 / (1 + math.Exp(-steepness*r)) })
}

// ExpScale maps to e^{rate·r}, so that differences between high rewards count more.
func ExpScale(rate float64) Processor {
	return pointwise(func(r float64) float64 { return math.Exp(rate * r) })
}

// LengthNormalise divides by the length in units of so many tokens; texts shorter than one unit count as one.
func LengthNormalise(unit float64) Processor { return lengthNormalise(unit) }

type lengthNormalise float64

func (unit lengthNormalise) Process(reward float64, tokens int) float64 {
	return reward / max(1, float64(tokens)/float64(unit))
}

// Range includes 0, which the rewards of ever longer texts approach.
func (unit lengthNormalise) Range(least, greatest float64) (float64, float64) {
	return min(0, least), max(0, greatest)
}

// kinds are the processors by the names that recipes use, with the defaults of their arguments.
var kinds = map[string]struct {
	defaults []float64
	make     func(args []float64) Processor
}{
	"identity":         {nil, func([]float64) Processor { return Identity() }},
	"clamp":            {[]float64{-10, 10}, func(a []float64) Processor { return Clamp(a[0], a[1]) }},
	"scale":            {[]float64{1}, func(a []float64) Processor { return Scale(a[0]) }},
	"shift":            {[]float64{0}, func(a []float64) Processor { return Shift(a[0]) }},
	"sigmoid_scale":    {[]float64{1}, func(a []float64) Processor { return SigmoidScale(a[0]) }},
	"length_normalize": {[]float64{100}, func(a []float64) Processor { return LengthNormalise(a[0]) }},
	"exp_scale":        {[]float64{1}, func(a []float64) Processor { return ExpScale(a[0]) }},
}

// ParseProcessor makes a processor of its name and its numbers, such as "clamp 0 1": identity, clamp (least, greatest), scale (factor),
// shift (by), sigmoid_scale (steepness), length_normalize (tokens in a unit), exp_scale (rate). Without numbers the defaults are used:
// clamp −10 10, scale 1, shift 0, sigmoid_scale 1, length_normalize 100, exp_scale 1.
func ParseProcessor(text string) (Processor, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, fmt.Errorf("a reward processor without a name: use %s", processorNames)
	}
	var args []float64
	for _, w := range words[1:] {
		x, err := strconv.ParseFloat(w, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("reward processor %s: %q is no number", words[0], w)
		}
		args = append(args, x)
	}
	return newProcessor(words[0], args)
}

const processorNames = "identity, clamp, scale, shift, sigmoid_scale, length_normalize or exp_scale"

func newProcessor(name string, args []float64) (Processor, error) {
	kind, ok := kinds[name]
	if !ok {
		return nil, fmt.Errorf("reward processor %q is not known: use %s", name, processorNames)
	}
	if len(args) == 0 {
		args = kind.defaults
	}
	if len(args) != len(kind.defaults) {
		return nil, fmt.Errorf("reward processor %s takes %d numbers, not %d", name, len(kind.defaults), len(args))
	}
	if name == "clamp" && args[0] > args[1] {
		return nil, fmt.Errorf("reward processor clamp: %v is above %v: write the lower bound first", args[0], args[1])
	}
	if name == "length_normalize" && args[0] <= 0 {
		return nil, fmt.Errorf("reward processor length_normalize: a unit has more than 0 tokens, not %v", args[0])
	}
	return kind.make(args), nil
}

// A Scope says what a penalty replaces (§2.1).
type Scope string

const (
	ScopeScore Scope = "score" // the score, before the design: earlier turns of all agents feel it (the default)
	ScopeOwn   Scope = "own"   // only the reward of the flagged answer itself, after the design
)

// Check reports whether s is a known scope.
func (s Scope) Check() error {
	if s != ScopeScore && s != ScopeOwn {
		return fmt.Errorf("penalty scope %q is not known: use %q or %q", string(s), ScopeScore, ScopeOwn)
	}
	return nil
}

// Penalise returns a debate with the penalty in place of the scores that are flagged. The debate itself does not change.
func Penalise(debate []Turn, penalty float64) []Turn {
	out := make([]Turn, len(debate))
	for t, turn := range debate {
		out[t] = slices.Clone(turn)
		for i, a := range turn {
			if a.Flagged {
				out[t][i].Score = penalty
			}
		}
	}
	return out
}
