package losses

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"parley/engine/tinker/wire"
)

// A Datum is a sequence as a loss sees it: N places with K targets each, row by row. K is 1 but where several targets were sent.
type Datum struct {
	Tokens     []int     // [N]
	Targets    []int     // [N·K]
	Weights    []float32 // [N·K], of cross_entropy; of the others nil
	Logprobs   []float32 // [N], of those
	Advantages []float32 // [N], of those
	K          int
	Shape      []int64 // of the targets, as they were sent
}

// MostTargets are more of one place than anybody distills.
const MostTargets = 256

// Limits are what a model can read.
type Limits struct {
	Vocab   int
	Context int
}

// Read checks a datum, and spreads sparse arrays out.
func (l *Loss) Read(d *wire.Datum, limits Limits) (*Datum, error) {
	if err := l.checkNames(d); err != nil {
		return nil, err
	}
	out := &Datum{Tokens: make([]int, len(d.Tokens))}
	for i, t := range d.Tokens {
		out.Tokens[i] = int(t)
	}
	if err := out.readTargets(d.Inputs["target_tokens"]); err != nil {
		return nil, err
	}
	if err := out.check(limits); err != nil {
		return nil, err
	}
	var err error
	if l.name == "cross_entropy" {
		if out.Weights, err = out.numbers(d, "weights"); out.Weights == nil {
			out.Weights = slices.Repeat([]float32{1}, len(out.Targets))
		}
		return out, err
	}
	if len(out.Shape) > 1 {
		return nil, fmt.Errorf("target_tokens have the shape %v; several targets of a place are for cross_entropy alone", out.Shape)
	}
	if out.Logprobs, err = out.numbers(d, "logprobs"); err == nil {
		out.Advantages, err = out.numbers(d, "advantages")
	}
	return out, err
}

// checkNames refuses arrays that are missing, or that the loss does not read.
func (l *Loss) checkNames(d *wire.Datum) error {
	read, needed := []string{"target_tokens", "logprobs", "advantages"}, []string{"target_tokens", "logprobs", "advantages"}
	if l.name == "cross_entropy" {
		read, needed = []string{"target_tokens", "weights"}, []string{"target_tokens"}
	}
	for _, name := range needed {
		if _, has := d.Inputs[name]; !has {
			return fmt.Errorf("loss_fn_inputs has no %s, which %s reads", name, l.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Inputs)) {
		if !slices.Contains(read, name) {
			return fmt.Errorf("loss_fn_inputs has %.60q, which %s does not read: leave it out", name, l.name)
		}
	}
	return nil
}

// readTargets takes the targets, whose shape the other arrays share.
func (d *Datum) readTargets(t wire.Tensor) error {
	n := len(d.Tokens)
	if t.DType != wire.Int64 && t.DType != wire.Int32 {
		return errors.New("target_tokens are no whole numbers")
	}
	if d.K, d.Shape = 1, []int64{int64(n)}; len(t.Shape) > 0 {
		d.Shape = t.Shape
	}
	if len(d.Shape) > 2 || d.Shape[0] != int64(n) || len(t.Shape) == 0 && t.Len() != n {
		return fmt.Errorf("there are %d tokens, and target_tokens has the shape %v of %d numbers", n, t.Shape, t.Len())
	}
	if len(d.Shape) == 2 {
		if d.Shape[1] < 1 || d.Shape[1] > MostTargets {
			return fmt.Errorf("target_tokens has the shape %v; a place has 1 to %d targets", d.Shape, MostTargets)
		}
		d.K = int(d.Shape[1])
	}
	d.Targets = make([]int, n*d.K)
	return spread(&t, d.K, func(at, from int) error {
		id := t.Ints[from]
		if id < 0 || id > math.MaxInt32 {
			return fmt.Errorf("target_tokens has %d, which is no token", id)
		}
		d.Targets[at] = int(id)
		return nil
	})
}

// spread calls each with every number that is there, by its place in the whole array of k columns.
func spread(t *wire.Tensor, k int, each func(at, from int) error) error {
	if t.Rows == nil {
		for i := range t.Len() {
			if err := each(i, i); err != nil {
				return err
			}
		}
		return nil
	}
	for row := range len(t.Rows) - 1 {
		for i := t.Rows[row]; i < t.Rows[row+1]; i++ {
			if err := each(row*k+int(t.Cols[i]), int(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// numbers are an array of the shape of the targets; nil: there is none.
func (d *Datum) numbers(from *wire.Datum, name string) ([]float32, error) {
	t, has := from.Inputs[name]
	if !has {
		return nil, nil
	}
	flat := len(t.Shape) == 0 || len(t.Shape) == 1 && len(d.Shape) == 1
	if same := slices.Equal(t.Shape, d.Shape) || flat && t.Len() == len(d.Targets); !same {
		return nil, fmt.Errorf("%s has the shape %v of %d numbers, target_tokens %v", name, t.Shape, t.Len(), d.Shape)
	}
	out := make([]float32, len(d.Targets))
	err := spread(&t, d.K, func(at, i int) error {
		x := float32(0)
		if t.Ints != nil {
			x = float32(t.Ints[i])
		} else {
			x = t.Floats[i]
		}
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return fmt.Errorf("%s has %g at %d", name, x, i)
		}
		out[at] = x
		return nil
	})
	return out, err
}

// check refuses tokens that the model does not have, and sequences that it cannot read: it has to have room for one token behind them.
func (d *Datum) check(l Limits) error {
	if len(d.Tokens) == 0 {
		return errors.New("model_input has no tokens")
	}
	if len(d.Tokens)+1 > l.Context {
		return fmt.Errorf("model_input has %d tokens; with the target behind the last one, that is more than the context of %d", len(d.Tokens), l.Context)
	}
	for name, ids := range map[string][]int{"model_input": d.Tokens, "target_tokens": d.Targets} {
		for i, id := range ids {
			if id < 0 || id >= l.Vocab {
				return fmt.Errorf("%s has %d at %d; the vocabulary has %d tokens", name, id, i, l.Vocab)
			}
		}
	}
	return nil
}
