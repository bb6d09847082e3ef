package credit

import (
	"fmt"
	"math"

	"parley/internal/tie"
)

// A Std names the standard deviation σ of a group that its centred values are divided by.
type Std string

// The deviations of n values.
const (
	StdNone       Std = "none"       // not divided
	StdPopulation Std = "population" // divisor n
	StdSample     Std = "sample"     // divisor n−1; that of one value is 1
)

// A Division says how a small σ is kept from making large numbers.
type Division string

// The divisions of a centred value a.
const (
	DivideFloor Division = "floor" // a/max(σ, ε)
	DivideAdd   Division = "add"   // a/(σ+ε), as most published codes have it
)

// SpreadEps is the usual ε of a [Spread].
const SpreadEps = spreadFloor

// A Spread says what the centred values of a group are divided by.
type Spread struct {
	Std    Std
	Divide Division
	Eps    float64
}

// Check returns an error for words that are none of these.
func (s Spread) Check() error {
	switch s.Std {
	case StdNone, StdPopulation, StdSample:
	default:
		return fmt.Errorf("standard deviation %q: write none, population or sample", s.Std)
	}
	if s.Divide != DivideFloor && s.Divide != DivideAdd {
		return fmt.Errorf("division %q: write floor or add", s.Divide)
	}
	return nil
}

// Of returns the standard deviation of a group's values around their mean; ok is false where none is divided by.
func (s Spread) Of(values []float64) (std float64, ok bool) {
	n := len(values)
	switch {
	case s.Std == StdNone || n == 0:
		return 0, false
	case s.Std == StdSample && n == 1:
		return 1, true
	case s.Std == StdSample:
		return populationStd(values) * math.Sqrt(float64(n)/float64(n-1)), true
	}
	return populationStd(values), true
}

// Scale divides a centred value by the standard deviation of its group.
func (s Spread) Scale(a, std float64) float64 {
	switch {
	case s.Std == StdNone:
		return a
	case s.Divide == DivideAdd:
		return a / (std + s.Eps)
	}
	return a / max(std, s.Eps)
}

// Centred returns the values of one group less their mean, scaled. Fewer than two values, or values that are all one, give zeros: nobody is
// compared with anybody else, and rounding is no difference.
func (s Spread) Centred(values []float64) []float64 {
	out := make([]float64, len(values))
	if len(values) < 2 || tie.All(values, 0) {
		return out
	}
	mean := average(values)
	std, _ := s.Of(values)
	for i, v := range values {
		out[i] = s.Scale(v-mean, std)
	}
	return out
}
