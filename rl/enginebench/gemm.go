package bench

import (
	"context"
	"fmt"

	"parley/engine"
	"parley/engine/native/kernel"
	"parley/model/config"
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

// mostCopies of a matrix are made for that: of a small one, more would take longer to make than to measure.
const mostCopies = 1 << 14

// Measure runs it on the kernels alone, with random weights and activations. It also returns about how many bytes that takes; work for which
// the system has not that much left is refused.
func (w Products) Measure(ctx context.Context, model, format string, options engine.Options, limits Limits, runs Runs) (rows []Row, need int64, err error) {
	if err := w.check(); err != nil {
		return nil, 0, err
	}
	held, err := engine.ParseFormat(format)
	if err != nil {
		return nil, 0, err
	}
	all, err := w.projections(model, held)
	if err != nil {
		return nil, 0, err
	}
	bytes := w.bytes(all)
	if err := requireMemory(options, bytes-programBytes, "the products take %s, and %s are free: make them smaller, or the weights with --dtype"); err != nil {
		return nil, 0, err
	}
	k, err := kernel.New(options.Kernels, options.Threads)
	if err != nil {
		return nil, 0, err
	}
	defer k.Close()
	rows, err = series{runs, limits, peakOf(k, held)}.measure(ctx, w.tasks(k, all))
	return rows, int64(bytes), err
}

// tasks are the products with each projection, and with all of them where they are a model's, forward and, of many rows, backward.
func (w Products) tasks(k *kernel.Kernels, all []projection) []task {
	groups := packed(k, all)
	if w.N == 0 {
		groups = append(groups, whole(groups))
	}
	n := w.M * widest(all)
	p := operands{w.M, make([]float32, n), make([]float32, n)}
	fill(p.from, "operand")
	var tasks []task
	for _, g := range groups {
		tasks = append(tasks, p.forward(k, g))
		if w.M > decodingRows {
			tasks = append(tasks, p.backward(k, g))
		}
	}
	return tasks
}

// programBytes is about what the program takes beside the products.
const programBytes = 32 << 20

// bytes is about what the products take: weights, operands and results, and the program.
func (w Products) bytes(all []projection) float64 {
	const value = 4
	total := programBytes + 2*value*float64(w.M)*float64(widest(all))
	for _, p := range all {
		total += float64(p.count) * float64(kernel.MatrixBytes(p.format, p.out, p.in))
	}
	return total
}

// projections are the matrices to multiply with: of the model, or the one that is asked for, as often as it takes to fill every cache, if that is not too often.
func (w Products) projections(model string, format engine.Format) ([]projection, error) {
	src, err := source(model)
	if err != nil {
		return nil, shapef("%v", err)
	}
	defer src.Close()
	c, err := config.Parse(src.Config())
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", model, err)
	}
	if w.N == 0 {
		return projectionsOf(c, format), nil
	}
	copies := 1
	if w.M <= decodingRows {
		copies += min(coldBytes/kernel.MatrixBytes(format, w.N, w.K), mostCopies)
	}
	return []projection{{fmt.Sprintf("%dx%d", w.N, w.K), format, w.N, w.K, copies}}, nil
}

// A projection is one of the matrices of a model.
type projection struct {
	name           string
	format         engine.Format
	out, in, count int
}

// projectionsOf lists those of a model of a format: its head has at least bfloat16.
func projectionsOf(c config.Config, f engine.Format) []projection {
	q, kv := c.Heads*c.HeadDim, c.KVHeads*c.HeadDim
	return []projection{
		{"q_proj", f, q, c.Hidden, c.Layers},
		{"k_proj", f, kv, c.Hidden, c.Layers},
		{"v_proj", f, kv, c.Hidden, c.Layers},
		{"o_proj", f, c.Hidden, q, c.Layers},
		{"gate_proj", f, c.Intermediate, c.Hidden, c.Layers},
		{"up_proj", f, c.Intermediate, c.Hidden, c.Layers},
		{"down_proj", f, c.Hidden, c.Intermediate, c.Layers},
		{"head", min(f, engine.BF16), c.Vocab, c.Hidden, 1},
	}
}

// widest is the most columns that an operand or a result has.
func widest(all []projection) int {
	n := 0
	for _, p := range all {
		n = max(n, p.out, p.in)
	}
	return n
}

// matrices are packed weights that a task goes through.
type matrices struct {
	name string
	list []*kernel.Matrix
}

// packed makes the weights of projections.
func packed(k *kernel.Kernels, all []projection) []matrices {
	groups := make([]matrices, len(all))
	for i, p := range all {
		groups[i].name = p.name
		for j := range p.count {
			groups[i].list = append(groups[i].list, pack(k, p, j))
		}
	}
	return groups
}

// pack makes the n-th weights of a projection, some rows at a time: beside the packed form no more than those are in memory.
func pack(k *kernel.Kernels, p projection, n int) *kernel.Matrix {
	const floats, together = 1 << 18, kernel.PanelWidth
	m := k.NewMatrix(p.format, p.out, p.in)
	rows := max(1, floats/p.in/together) * together
	values := make([]float32, min(rows, p.out)*p.in)
	for from := 0; from < p.out; from += rows {
		piece := values[:min(rows, p.out-from)*p.in]
		fill(piece, "matrix", p.out, p.in, n, from)
		k.PackRows(m, from, piece)
	}
	return m
}

// whole is all matrices of a model in turns.
func whole(groups []matrices) matrices {
	all := matrices{name: "whole model"}
	for _, g := range groups {
		all.list = append(all.list, g.list...)
	}
	return all
}

// cost is what a pass over the matrices needs with m rows.
func (g matrices) cost(m int) cost {
	c := cost{passes: 1}
	for _, x := range g.list {
		c.flops += 2 * float64(m) * float64(x.Out) * float64(x.In)
		c.bytes += float64(x.Bytes())
	}
	return c
}

// operands are what all products have in turns: m rows of random values, and room for as many results.
type operands struct {
	m        int
	from, to []float32
}

func (p operands) forward(k *kernel.Kernels, g matrices) task {
	return p.task(g.name, g, func(x *kernel.Matrix) { k.Mul(p.to[:p.m*x.Out], p.from[:p.m*x.In], p.m, x, false) })
}

func (p operands) backward(k *kernel.Kernels, g matrices) task {
	return p.task(g.name+", backward", g, func(x *kernel.Matrix) { k.MulT(p.to[:p.m*x.In], p.from[:p.m*x.Out], p.m, x, false) })
}

// shortest is how long a run should take at least, so that the clock does not matter, at a rate that any processor exceeds.
const shortest = 20e-3 * 20e9

func (p operands) task(name string, g matrices, multiply func(*kernel.Matrix)) task {
	c := g.cost(p.m)
	c.passes = 1 + int(shortest/c.flops)
	c.flops *= float64(c.passes)
	return task{name, c, func(int) func(context.Context) error {
		return func(ctx context.Context) error {
			for range c.passes {
				for _, x := range g.list {
					multiply(x)
				}
			}
			return ctx.Err()
		}
	}}
}
