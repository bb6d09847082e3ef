package native

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"parley/internal/seed"
	"parley/model/config"
	"parley/model/weights"
)

// Random returns a model of shape c with fresh weights, each tensor drawn from its own stream of the seed. Matrices are
// normal with standard deviation 1/sqrt(inputs), those that write to the residual stream smaller by sqrt(2·layers), so that
// it does not grow with depth (Radford et al. 2019, §2.3). Norms multiply by one, biases are zero. It panics where c is no shape of a model.
func Random(c config.Config, s uint64) weights.Source {
	text, err := c.JSON()
	if err != nil {
		panic("internal error: " + err.Error())
	}
	r := &randomModel{config: text, layers: c.Layers, norm: 1, seed: s}
	if c.Family().Norm == config.ByOnePlusWeight {
		r.norm = 0
	}
	for _, p := range newNet(&shape{c}).params {
		r.tensors = append(r.tensors, weights.Tensor{Name: p.name, Shape: p.shape, DType: "F32"})
	}
	slices.SortFunc(r.tensors, func(a, b weights.Tensor) int { return strings.Compare(a.Name, b.Name) })
	return r
}

type randomModel struct {
	config  []byte
	layers  int
	norm    float32 // weight of norms
	seed    uint64
	tensors []weights.Tensor
}

func (r *randomModel) Config() []byte            { return r.config }
func (r *randomModel) Tensors() []weights.Tensor { return r.tensors }
func (r *randomModel) Close() error              { return nil }

func (r *randomModel) Float32(name string, dst []float32) error {
	i := slices.IndexFunc(r.tensors, func(t weights.Tensor) bool { return t.Name == name })
	if i < 0 {
		return fmt.Errorf("a random model has no tensor %s", name)
	}
	shape := r.tensors[i].Shape
	switch {
	case strings.HasSuffix(name, ".bias"):
		clear(dst)
		return nil
	case len(shape) == 1:
		for i := range dst {
			dst[i] = r.norm
		}
		return nil
	}
	deviation := 1 / math.Sqrt(float64(shape[1]))
	if strings.HasSuffix(name, config.OProj.Module()+".weight") || strings.HasSuffix(name, config.DownProj.Module()+".weight") {
		deviation /= math.Sqrt(2 * float64(r.layers))
	}
	stream := seed.Stream(seed.Derive(r.seed, name))
	for i := range dst {
		dst[i] = float32(stream.NormFloat64() * deviation)
	}
	return nil
}
