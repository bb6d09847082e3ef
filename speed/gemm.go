package speed

import (
	"context"
	"fmt"

	"parley/engine/native"
	"parley/engine/native/kernel"
)

// Products is y = x·Wᵀ, and for training shapes dx = dy·W, with M rows and one matrix [N, K]; where N or K is 0, with all matrices
// of the model in turns, as a step of decoding or of training goes through them.
type Products struct {
	M int `json:"m"`
	N int `json:"n,omitempty"`
	K int `json:"k,omitempty"`
}

func (w Products) check() error {
	if w.N < 0 || w.K < 0 || (w.N == 0) != (w.K == 0) {
		return shapef("n is %d and k is %d; give both, or neither", w.N, w.K)
	}
	return positive(size{"m", w.M}, size{"n", max(1, w.N)}, size{"k", max(1, w.K)})
}

// decodingRows is the most rows of a product that counts as decoding: there the weights should come from memory, not from a cache.
const decodingRows = 32

// coldBytes of weights do not stay in any cache.
const coldBytes = 512 << 20

// Measure runs it on the kernels alone, with random weights and activations.
func (w Products) Measure(ctx context.Context, model, format string, options native.Options, limits Limits, runs Runs) ([]Row, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	k, err := kernel.New(options.CPU, options.Threads)
	if err != nil {
		return nil, err
	}
	defer k.Close()
	held, err := kernel.ParseFormat(format)
	if err != nil {
		return nil, err
	}
	groups, err := w.matrices(k, model, held)
	if err != nil {
		return nil, err
	}
	var tasks []task
	for _, g := range groups {
		tasks = append(tasks, w.forward(k, g))
		if w.M > decodingRows {
			tasks = append(tasks, w.backward(k, g))
		}
	}
	return series{runs, limits, peakOf(k, held)}.measure(ctx, tasks)
}

// matrices are packed weights that a task goes through.
type matrices struct {
	name string
	list []*kernel.Matrix
}

func (w Products) matrices(k *kernel.Kernels, model string, format kernel.Format) ([]matrices, error) {
	if w.N > 0 && w.K > 0 {
		copies := 1
		if w.M <= decodingRows {
			copies += coldBytes / kernel.MatrixBytes(format, w.N, w.K)
		}
		return []matrices{{fmt.Sprintf("%dx%d", w.N, w.K), packed(k, format, w.N, w.K, copies)}}, nil
	}
	src, err := source(model)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	c, err := native.ParseConfig(src.Config())
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", model, err)
	}
	var groups []matrices
	all := matrices{name: "whole model"}
	for _, p := range projectionsOf(c) {
		g := matrices{p.name, packed(k, p.held(format), p.out, p.in, p.count)}
		groups, all.list = append(groups, g), append(all.list, g.list...)
	}
	return append(groups, all), nil
}

// A projection is one of the matrices of a model.
type projection struct {
	name           string
	out, in, count int
}

// held is the format that a projection has in a model of a format: the head has at least bfloat16.
func (p projection) held(f kernel.Format) kernel.Format {
	if p.name == "head" {
		return min(f, kernel.BF16)
	}
	return f
}

func projectionsOf(c native.Config) []projection {
	q, kv := c.Heads*c.HeadDim, c.KVHeads*c.HeadDim
	return []projection{
		{"q_proj", q, c.Hidden, c.Layers}, {"k_proj", kv, c.Hidden, c.Layers}, {"v_proj", kv, c.Hidden, c.Layers},
		{"o_proj", c.Hidden, q, c.Layers}, {"gate_proj", c.Intermediate, c.Hidden, c.Layers}, {"up_proj", c.Intermediate, c.Hidden, c.Layers},
		{"down_proj", c.Hidden, c.Intermediate, c.Layers}, {"head", c.Vocab, c.Hidden, 1},
	}
}

func packed(k *kernel.Kernels, format kernel.Format, out, in, count int) []*kernel.Matrix {
	list := make([]*kernel.Matrix, count)
	values := make([]float32, out*in)
	for i := range list {
		fill(values, "matrix", out, in, i)
		list[i] = k.PackAs(format, out, in, values)
	}
	return list
}

// work adds up what a pass over the matrices costs with m rows, and how wide rows are.
func (g matrices) work(m int) (c cost, widest int) {
	for _, x := range g.list {
		c.flops += 2 * float64(m) * float64(x.Out) * float64(x.In)
		c.bytes += float64(x.Bytes())
		widest = max(widest, x.Out, x.In)
	}
	c.passes = 1
	return c, widest
}

func (w Products) forward(k *kernel.Kernels, g matrices) task {
	return w.task(g.name, g, func(to, from []float32, x *kernel.Matrix) { k.Mul(to[:w.M*x.Out], from[:w.M*x.In], w.M, x, false) })
}

func (w Products) backward(k *kernel.Kernels, g matrices) task {
	return w.task(g.name+", backward", g, func(to, from []float32, x *kernel.Matrix) { k.MulT(to[:w.M*x.In], from[:w.M*x.Out], w.M, x, false) })
}

// shortest is how long a run should take at least, so that the clock does not matter, at a rate that any processor exceeds.
const shortest = 20e-3 * 20e9

func (w Products) task(name string, g matrices, multiply func(to, from []float32, x *kernel.Matrix)) task {
	c, widest := g.work(w.M)
	c.passes = 1 + int(shortest/c.flops)
	c.flops *= float64(c.passes)
	from, to := make([]float32, w.M*widest), make([]float32, w.M*widest)
	fill(from, name)
	return task{name, c, func(int) func(context.Context) error {
		return func(ctx context.Context) error {
			for range c.passes {
				for _, x := range g.list {
					multiply(to, from, x)
				}
			}
			return ctx.Err()
		}
	}}
}
