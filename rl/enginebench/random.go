package bench

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"parley/engine/native"
	"parley/internal/seed"
	"parley/model/config"
	"parley/model/weights"
)

// shapes are the models that exist by shape alone: [OpenRandom] fills them with random weights.
var shapes = map[string]config.Config{
	"qwen2.5-0.5b": {
		ModelType: "qwen2", Vocab: 151936, Hidden: 896, Intermediate: 4864, Layers: 24, Heads: 14, KVHeads: 2, HeadDim: 64,
		Context: 32768, NormEps: 1e-6, Rope: config.Rope{Theta: 1e6}, Tied: true, QKVBias: true,
	},
	"smollm2-135m": {
		ModelType: "llama", Vocab: 49152, Hidden: 576, Intermediate: 1536, Layers: 30, Heads: 9, KVHeads: 3, HeadDim: 64,
		Context: 8192, NormEps: 1e-5, Rope: config.Rope{Theta: 1e5}, Tied: true,
	},
	"gemma2-2b": {
		ModelType: "gemma2", Vocab: 256000, Hidden: 2304, Intermediate: 9216, Layers: 26, Heads: 8, KVHeads: 4, HeadDim: 256,
		Context: 8192, NormEps: 1e-6, Rope: config.Rope{Theta: 1e4}, QueryScalar: 256, Tied: true,
		Window: slices.Repeat([]int{4096, 0}, 13), Caps: config.Caps{Attention: 50, Logits: 30},
	},
	"granite-2b": {
		ModelType: "granite", Vocab: 49155, Hidden: 2048, Intermediate: 8192, Layers: 40, Heads: 32, KVHeads: 8, HeadDim: 64,
		Context: 131072, NormEps: 1e-5, Rope: config.Rope{Theta: 1e7}, Tied: true,
		Scales: config.Scales{Embedding: 12, Attention: 1. / 64, Residual: 0.22, Logits: 8},
	},
	"olmo2-1b": {
		ModelType: "olmo2", Vocab: 100352, Hidden: 2048, Intermediate: 8192, Layers: 16, Heads: 16, KVHeads: 16, HeadDim: 128,
		Context: 4096, NormEps: 1e-6, Rope: config.Rope{Theta: 5e5},
	},
	"tiny": {
		ModelType: "llama", Vocab: 128, Hidden: 32, Intermediate: 64, Layers: 2, Heads: 2, KVHeads: 1, HeadDim: 16,
		Context: 512, NormEps: 1e-5, Rope: config.Rope{Theta: 1e4}, Tied: true,
	},
}

// RandomPrefix begins the names of models with random weights.
const RandomPrefix = "random:"

// RandomNames lists the models that [OpenRandom] knows, sorted.
func RandomNames() []string {
	var names []string
	for name := range shapes {
		names = append(names, RandomPrefix+name)
	}
	slices.Sort(names)
	return names
}

// OpenRandom opens a model with the shape of a known one and random weights: the same ones every time, made while they are
// read. name begins with [RandomPrefix]. Such a model is as fast as the real one and takes no download.
func OpenRandom(name string) (weights.Source, error) {
	config, ok := shapes[strings.TrimPrefix(name, RandomPrefix)]
	if !ok {
		return nil, fmt.Errorf("there is no model %q: write one of %s", name, strings.Join(RandomNames(), ", "))
	}
	text, err := config.JSON()
	if err != nil {
		return nil, err
	}
	return &random{config: text, tensors: native.Random(config, 0).Tensors()}, nil
}

// random is a checkpoint that is made up.
type random struct {
	config  []byte
	tensors []weights.Tensor
}

func (r *random) Config() []byte            { return r.config }
func (r *random) Tensors() []weights.Tensor { return r.tensors }
func (r *random) Close() error              { return nil }

// spread is the standard deviation of the weights, as transformers initialises models.
const spread = 0.02

// Float32 implements [weights.Source]: weights are uniform around 0, those of norms are 1; where the model adds 1 to them, it is as fast.
func (r *random) Float32(name string, dst []float32) error { return r.Rows(name, 0, dst) }

// Rows implements [weights.RowReader]. The stream of a row follows from the tensor's name and its number.
func (r *random) Rows(name string, from int, dst []float32) error {
	if strings.HasSuffix(name, "norm.weight") {
		for i := range dst {
			dst[i] = 1
		}
		return nil
	}
	width, err := r.width(name)
	for n := 0; err == nil && n < len(dst); n += width {
		fill(dst[n:min(n+width, len(dst))], name, from+n/width)
	}
	return err
}

// width is how many values a row of a tensor has; a vector is one row.
func (r *random) width(name string) (int, error) {
	i, ok := slices.BinarySearchFunc(r.tensors, name, func(t weights.Tensor, name string) int { return strings.Compare(t.Name, name) })
	if !ok {
		return 0, fmt.Errorf("there is no tensor %s", name)
	}
	shape := r.tensors[i].Shape
	return max(1, shape[len(shape)-1]), nil
}

// fill draws values uniform around 0; their stream follows from what they are.
func fill(dst []float32, what string, indices ...int) {
	stream := seed.Stream(seed.Derive(1, what, indices...))
	scale := float32(spread * math.Sqrt(12) / (1 << 32))
	for i := 0; i < len(dst); i += 2 {
		two := stream.Uint64()
		dst[i] = scale * float32(int32(two))
		if i+1 < len(dst) {
			dst[i+1] = scale * float32(int32(two>>32))
		}
	}
}
