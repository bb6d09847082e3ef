package native

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Rope says which angles rotary positions turn by (Su et al. 2021, RoFormer, §3.2): position p turns pair i of a head of
// width d by p·Theta^(-2i/d), after Type's scaling of the frequencies.
type Rope struct {
	Theta  float64
	Type   string  // "", linear or llama3
	Factor float64 // linear and llama3: how many times longer the context becomes
	// LowFreq and HighFreq bound, in turns over Original positions, the band where llama3 passes from scaled to unscaled
	// frequencies.
	LowFreq, HighFreq float64
	Original          int
}

// ropeFile is rope_scaling of transformers 4 and rope_parameters of transformers 5.
type ropeFile struct {
	Type     string   `json:"rope_type"`
	OldType  string   `json:"type"`
	Theta    *float64 `json:"rope_theta"`
	Factor   float64  `json:"factor"`
	LowFreq  float64  `json:"low_freq_factor"`
	HighFreq float64  `json:"high_freq_factor"`
	Original int      `json:"original_max_position_embeddings"`
	Partial  *float64 `json:"partial_rotary_factor"`
}

func (f *file) rope(a arch) (Rope, error) {
	r := Rope{Theta: a.theta}
	if f.Theta != nil {
		r.Theta = *f.Theta
	}
	s := cmp.Or(f.Parameters, f.Scaling)
	if s == nil {
		return r, nil
	}
	if s.Theta != nil {
		r.Theta = *s.Theta
	}
	if s.Partial != nil && *s.Partial != 1 {
		return r, fmt.Errorf("partial_rotary_factor = %g is not supported; only 1 is", *s.Partial)
	}
	switch kind := cmp.Or(s.Type, s.OldType, "default"); kind {
	case "default":
	case "linear":
		r.Type, r.Factor = kind, s.Factor
	case "llama3":
		r.Type, r.Factor, r.LowFreq, r.HighFreq, r.Original = kind, s.Factor, s.LowFreq, s.HighFreq, s.Original
	default:
		return r, fmt.Errorf("rope type %q is not supported; default, linear and llama3 are", kind)
	}
	return r, nil
}

func (r *Rope) check(headDim int) error {
	switch {
	case !(r.Theta > 0):
		return fmt.Errorf("config.json: rope_theta %g must be above 0", r.Theta)
	case r.Type != "" && !(r.Factor > 0):
		return fmt.Errorf("config.json: %s rope scaling needs a factor above 0, it has %g", r.Type, r.Factor)
	case r.Type == "llama3" && (!(r.HighFreq > r.LowFreq) || !(r.LowFreq > 0) || r.Original < 1):
		return fmt.Errorf("config.json: llama3 rope scaling needs 0 < low_freq_factor < high_freq_factor and "+
			"original_max_position_embeddings, it has %g, %g and %d", r.LowFreq, r.HighFreq, r.Original)
	}
	return nil
}

// frequencies returns the angle a position of each of the headDim/2 pairs.
func (r *Rope) frequencies(headDim int) []float64 {
	f := make([]float64, headDim/2)
	for i := range f {
		f[i] = math.Pow(r.Theta, -2*float64(i)/float64(headDim))
		switch r.Type {
		case "linear":
			f[i] /= r.Factor
		case "llama3":
			f[i] = r.llama3(f[i])
		}
	}
	return f
}

// llama3 divides slow frequencies by Factor, keeps fast ones, and passes smoothly from one to the other in between.
func (r *Rope) llama3(f float64) float64 {
	turns := float64(r.Original) * f / (2 * math.Pi)
	smooth := (turns - r.LowFreq) / (r.HighFreq - r.LowFreq)
	smooth = min(max(smooth, 0), 1)
	return (1-smooth)*f/r.Factor + smooth*f
}

// frequencyFactors is the tensor by which GGUF files scale rotary frequencies, [head dim / 2]: each is divided by its factor.
const frequencyFactors = "rope_freqs.weight"

// readFrequencies fills in the engine's frequencies from config.json, and from frequencyFactors where the checkpoint has it.
func (e *Engine) readFrequencies() error {
	f := e.config.Rope.frequencies(e.config.HeadDim)
	e.angles.freq = f
	for _, t := range e.src.Tensors() {
		if t.Name != frequencyFactors {
			continue
		}
		if !slices.Equal(t.Shape, []int{len(f)}) {
			return fmt.Errorf("tensor %s has shape %v; heads of %d ask for [%d]", t.Name, t.Shape, e.config.HeadDim, len(f))
		}
		factors := make([]float32, len(f))
		if err := e.src.Float32(t.Name, factors); err != nil {
			return fmt.Errorf("read tensor %s: %w", t.Name, err)
		}
		for i, d := range factors {
			if !isFinite(d) || d <= 0 {
				return fmt.Errorf("tensor %s has factor %v at index %d", t.Name, d, i)
			}
			f[i] /= float64(d)
			e.scaledByTensor = e.scaledByTensor || d != 1
		}
	}
	return nil
}

// angles holds the cosines and sines of the positions asked for so far, [positions, headDim/2] each.
type angles struct {
	freq     []float64
	cos, sin []float32
	have     int // positions
}

// grow makes sure that positions 0, ..., n-1 are there.
func (a *angles) grow(n int) {
	for ; a.have < n; a.have++ {
		for _, f := range a.freq {
			s, c := math.Sincos(float64(a.have) * f)
			a.cos = append(a.cos, float32(c))
			a.sin = append(a.sin, float32(s))
		}
	}
}

// at returns the cosines and sines of position p.
func (a *angles) at(p int) (cos, sin []float32) {
	n := len(a.freq)
	return a.cos[p*n : p*n+n], a.sin[p*n : p*n+n]
}
