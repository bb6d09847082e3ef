package native

import (
	"fmt"
	"math"
	"slices"

	"parley/model/config"
)

// ropeTables holds the tables of cosines and sines that a model's layers rotate by.
type ropeTables struct {
	shape   *shape
	factors []float64 // the frequencies' divisors from a tensor; nil: none
	// global is of layers with Config.Rope, local of those with Config.Local. Both hold a table for each variant in use.
	global, local map[int]*ropeTable
}

// maxRopeTables is how many tables are kept from pass to pass: dynamic scaling has one for each length.
const maxRopeTables = 16

// A ropeTable holds the cosines and sines of the positions needed so far, [positions, width/2] each.
type ropeTable struct {
	freq      []float64
	scale     float64
	cos, sin  []float32
	positions int // positions
}

// grow makes sure that the tables have what the tokens of a pass need, and gives them to its chunks.
func (a *ropeTables) grow(p *pass) {
	if a.global == nil || len(a.global) > maxRopeTables {
		a.global, a.local = map[int]*ropeTable{}, map[int]*ropeTable{}
	}
	for i := range p.chunks {
		ch := &p.chunks[i]
		ch.global = a.table(a.global, &a.shape.Rope, ch.variant)
		ch.global.grow(ch.start + ch.from + ch.n)
		if a.shape.Local != nil {
			ch.local = a.table(a.local, a.shape.Local, 0)
			ch.local.grow(ch.start + ch.from + ch.n)
		}
	}
}

// ropeTable returns the table of a variant of r.
func (a *ropeTables) table(tables map[int]*ropeTable, r *config.Rope, variant int) *ropeTable {
	t := tables[variant]
	if t == nil {
		t = &ropeTable{freq: r.Frequencies(a.shape.HeadDim, variant), scale: r.Scale()}
		for i := range a.factors {
			t.freq[i] /= a.factors[i]
		}
		tables[variant] = t
	}
	return t
}

// grow makes sure that positions 0, ..., n-1 are there.
func (t *ropeTable) grow(n int) {
	for ; t.positions < n; t.positions++ {
		for _, f := range t.freq {
			s, c := math.Sincos(float64(t.positions) * f)
			t.cos = append(t.cos, float32(c*t.scale))
			t.sin = append(t.sin, float32(s*t.scale))
		}
	}
}

// at returns the cosines and sines of position p.
func (t *ropeTable) at(p int) (cos, sin []float32) {
	n := len(t.freq)
	return t.cos[p*n : p*n+n], t.sin[p*n : p*n+n]
}

// frequencyFactors is the tensor by which GGUF files scale rotary frequencies, [head dim / 2]: each is divided by its factor.
const frequencyFactors = "rope_freqs.weight"

// readFrequencies reads frequencyFactors where the checkpoint has it.
func (e *Engine) readFrequencies() error {
	e.ropeTables.shape = &e.shape
	n := e.shape.Rope.Width(e.shape.HeadDim) / 2
	for _, t := range e.src.Tensors() {
		if t.Name != frequencyFactors {
			continue
		}
		if !slices.Equal(t.Shape, []int{n}) {
			return fmt.Errorf("tensor %s has shape %v; heads of %d ask for [%d]", t.Name, t.Shape, e.shape.HeadDim, n)
		}
		factors := make([]float32, n)
		if err := e.src.Float32(t.Name, factors); err != nil {
			return fmt.Errorf("read tensor %s: %w", t.Name, err)
		}
		for i, d := range factors {
			if !isFinite(d) || d <= 0 {
				return fmt.Errorf("tensor %s has factor %v at index %d", t.Name, d, i)
			}
			e.ropeTables.factors = append(e.ropeTables.factors, float64(d))
			e.scaledByTensor = e.scaledByTensor || d != 1
		}
	}
	return nil
}
