package config

import (
	"fmt"
	"math"
)

// A Rope says which angles rotary positions turn by (Su et al. 2021, RoFormer, §3.2): position p turns pair i of the d rotated
// elements of a head by p·Theta^(-2i/d), after Type's scaling of the frequencies.
//
// The frequencies of longrope and dynamic follow the length of the whole sequence: a longer sequence turns all its tokens, the
// first ones too, by other angles. Such a set of frequencies is a variant; variant 0 is that of short sequences.
type Rope struct {
	Theta   float64
	Partial float64 // share of each head that is rotated, its first elements; 0: all
	Type    string  // "", linear, dynamic, llama3, longrope or yarn
	Factor  float64 // of all but longrope: how many times longer the context becomes
	// LowFreq and HighFreq bound, in turns over Original positions, the band where llama3 passes from scaled to unscaled
	// frequencies.
	LowFreq, HighFreq float64
	Original          int // llama3, longrope, dynamic and yarn: length of the sequences before scaling
	// Short and Long divide the frequencies of sequences of at most Original tokens, and of longer ones; AttentionFactor multiplies
	// cosines and sines of both (longrope: Ding et al. 2024, §3.2), and of yarn.
	Short, Long     []float64
	AttentionFactor float64
	// BetaFast and BetaSlow bound, in turns over Original positions, the band where yarn passes from unscaled to scaled
	// frequencies; unless Smooth is set, the band is rounded to whole pairs (Peng et al. 2023, §3.2).
	BetaFast, BetaSlow float64
	Smooth             bool
}

// Width returns how many elements of a head are rotated.
func (r *Rope) Width(headDim int) int {
	if r.Partial == 0 {
		return headDim
	}
	return int(float64(headDim) * r.Partial)
}

func (r *Rope) check(family *Family, headDim int) error {
	width := r.Width(headDim)
	switch {
	case !(r.Theta > 0):
		return fmt.Errorf("config.json: rope_theta %g must be above 0", r.Theta)
	case r.Type != "" && !family.scales(r.Type):
		return fmt.Errorf("config.json: rope type %q is not supported for this model_type; only %v are", r.Type, family.scalings)
	case r.Partial != 0 && (!family.partial || width < 2 || width > headDim || width%2 != 0):
		return fmt.Errorf("config.json: partial_rotary_factor %g is not supported for heads of %d", r.Partial, headDim)
	case r.Type != "" && r.Type != "longrope" && !(r.Factor > 0):
		return fmt.Errorf("config.json: %s rope scaling needs a factor above 0, it has %g", r.Type, r.Factor)
	case r.Type == "dynamic" && (r.Factor < 1 || width < 4 || r.Original < 1):
		return fmt.Errorf("config.json: dynamic rope scaling needs a factor of at least 1, it has %g, and heads wider than %d", r.Factor, width)
	case r.Type == "llama3" && (!(r.HighFreq > r.LowFreq) || !(r.LowFreq > 0) || r.Original < 1):
		return fmt.Errorf("config.json: llama3 rope scaling needs 0 < low_freq_factor < high_freq_factor and "+
			"original_max_position_embeddings, it has %g, %g and %d", r.LowFreq, r.HighFreq, r.Original)
	case r.Type == "longrope":
		return r.checkLong(width)
	case r.Type == "yarn" && (r.Original < 1 || !(r.BetaFast > 0) || !(r.BetaSlow > 0) || !(r.Theta > 1) || !positive(r.AttentionFactor)):
		return fmt.Errorf("config.json: yarn rope scaling needs original_max_position_embeddings, beta_fast, beta_slow and attention_factor above 0 "+
			"and a rope_theta above 1, it has %d, %g, %g, %g and %g", r.Original, r.BetaFast, r.BetaSlow, r.AttentionFactor, r.Theta)
	}
	return nil
}

// positive reports whether x is a number above 0.
func positive(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

func (r *Rope) checkLong(width int) error {
	if len(r.Short) != width/2 || len(r.Long) != width/2 {
		return fmt.Errorf("config.json: longrope needs %d values in short_factor and in long_factor, it has %d and %d",
			width/2, len(r.Short), len(r.Long))
	}
	for i := range r.Short {
		if !(r.Short[i] > 0) || !(r.Long[i] > 0) {
			return fmt.Errorf("config.json: short_factor and long_factor must be above 0, entry %d is %g and %g", i, r.Short[i], r.Long[i])
		}
	}
	if r.Original < 2 || !positive(r.AttentionFactor) {
		return fmt.Errorf("config.json: longrope needs original_max_position_embeddings of at least 2 and an attention_factor above 0, "+
			"it has %d and %g", r.Original, r.AttentionFactor)
	}
	return nil
}

// Variant returns which frequencies a sequence of n tokens has.
func (r *Rope) Variant(n int) int {
	switch {
	case n <= r.Original:
		return 0
	case r.Type == "longrope":
		return 1
	case r.Type == "dynamic":
		return n
	}
	return 0
}

// Frequencies returns the angle a position of each of the pairs of a head, in a variant.
func (r *Rope) Frequencies(headDim, variant int) []float64 {
	d := r.Width(headDim)
	theta := r.Theta
	if r.Type == "dynamic" && variant > 0 {
		theta = r.dynamic(variant, d)
	}
	f := make([]float64, d/2)
	first, last := r.yarnBand(d)
	for i := range f {
		f[i] = math.Pow(theta, -2*float64(i)/float64(d))
		switch r.Type {
		case "linear":
			f[i] /= r.Factor
		case "llama3":
			f[i] = r.llama3(f[i])
		case "longrope":
			f[i] /= [][]float64{r.Short, r.Long}[variant][i]
		case "yarn":
			scaled := min(max((float64(i)-first)/(last-first), 0), 1)
			f[i] = scaled*f[i]/r.Factor + (1-scaled)*f[i]
		}
	}
	return f
}

// Scale returns what cosines and sines are multiplied by.
func (r *Rope) Scale() float64 {
	if r.Type == "longrope" || r.Type == "yarn" {
		return r.AttentionFactor
	}
	return 1
}

// yarnBand returns the pairs, of d/2, where yarn's band begins and ends.
func (r *Rope) yarnBand(d int) (first, last float64) {
	if r.Type != "yarn" {
		return 0, 0
	}
	pair := func(turns float64) float64 {
		return float64(d) * math.Log(float64(r.Original)/(turns*2*math.Pi)) / (2 * math.Log(r.Theta))
	}
	first, last = pair(r.BetaFast), pair(r.BetaSlow)
	if !r.Smooth {
		first, last = math.Floor(first), math.Ceil(last)
	}
	if first, last = max(first, 0), min(last, float64(d-1)); first == last {
		last += 0.001
	}
	return first, last
}

// llama3 divides slow frequencies by Factor, keeps fast ones, and passes smoothly from one to the other in between.
func (r *Rope) llama3(f float64) float64 {
	turns := float64(r.Original) * f / (2 * math.Pi)
	smooth := (turns - r.LowFreq) / (r.HighFreq - r.LowFreq)
	smooth = min(max(smooth, 0), 1)
	return (1-smooth)*f/r.Factor + smooth*f
}

// dynamic returns the base that stretches the slowest of d/2 frequencies to a sequence of n tokens: NTK-aware scaling, with
// the factor that n asks for.
func (r *Rope) dynamic(n, d int) float64 {
	stretch := r.Factor*float64(n)/float64(r.Original) - (r.Factor - 1)
	return r.Theta * math.Pow(stretch, float64(d)/float64(d-2))
}

// Llama3Scaling returns the llama3 scaling that gives these divisors, one for each frequency, at a base theta; ok is false where none does.
func Llama3Scaling(factors []float32, theta float64) (scaling map[string]any, ok bool) {
	for original := 32; original <= 1<<17; original *= 2 {
		s := llama3{factor: float64(factors[len(factors)-1]), low: 1, high: 4, original: float64(original)}
		if s.makes(factors, theta) {
			return map[string]any{
				"rope_type": "llama3", "factor": s.factor, "low_freq_factor": s.low,
				"high_freq_factor": s.high, "original_max_position_embeddings": original,
			}, true
		}
	}
	return nil, false
}

// llama3 divides slow rotary frequencies by factor, leaves fast ones, and blends those between: by wavelength over
// original, against 1/low and 1/high.
type llama3 struct{ factor, low, high, original float64 }

// makes reports whether the scaling gives these divisors of the frequencies.
func (s llama3) makes(factors []float32, theta float64) bool {
	for i, f := range factors {
		wavelength := 2 * math.Pi * math.Pow(theta, float64(i)/float64(len(factors)))
		smooth := min(1, max(0, (s.original/wavelength-s.low)/(s.high-s.low)))
		want := 1 / ((1-smooth)/s.factor + smooth)
		if !(math.Abs(want-float64(f)) <= 1e-5*want) {
			return false
		}
	}
	return true
}
