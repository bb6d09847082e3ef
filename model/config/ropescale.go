package config

import "math"

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
