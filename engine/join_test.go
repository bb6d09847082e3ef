package engine

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// However an engine cuts joined data, every loss gets its own outputs in order, numbered as in its own data, and the gradients are those of
// the losses one after another.
func TestJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(0, 4), 1, 5).Draw(t, "sizes")
		var parts []Part
		var heard [][]float32
		for i, n := range sizes {
			heard = append(heard, nil)
			parts = append(parts, Part{make([]Datum, n), func(first int, outputs []Output) ([]Gradient, error) {
				if first != len(heard[i]) {
					return nil, fmt.Errorf("part %d was told of output %d after %d", i, first, len(heard[i]))
				}
				g := make([]Gradient, len(outputs))
				for j, o := range outputs {
					heard[i] = append(heard[i], o.Logprobs...)
					g[j].Logprobs = []float32{-o.Logprobs[0]}
				}
				return g, nil
			}})
		}
		data, loss := Join(parts)
		var got []float32
		for at := 0; at < len(data); {
			n := rapid.IntRange(1, len(data)-at).Draw(t, "n")
			outputs := make([]Output, n)
			for i := range outputs {
				outputs[i].Logprobs = []float32{float32(at + i)}
			}
			g, err := loss(at, outputs)
			if err != nil || len(g) != n {
				t.Fatalf("%d gradients for %d outputs: %v", len(g), n, err)
			}
			for i := range g {
				got = append(got, g[i].Logprobs...)
			}
			at += n
		}
		next := float32(0)
		for i, n := range sizes {
			var want []float32
			for range n {
				want = append(want, next)
				next++
			}
			if !reflect.DeepEqual(heard[i], want) {
				t.Errorf("part %d heard of %v, want %v", i, heard[i], want)
			}
		}
		for i, g := range got {
			if g != -float32(i) {
				t.Errorf("gradient %d is %v", i, g)
			}
		}
	})
}

// An error of a loss is the joined loss's, and so is a gradient too few or too many, though another part may make up for it.
func TestJoinFails(t *testing.T) {
	broken := errors.New("broken")
	fine := func(_ int, o []Output) ([]Gradient, error) { return make([]Gradient, len(o)), nil }
	_, loss := Join([]Part{{make([]Datum, 1), fine}, {make([]Datum, 1), func(int, []Output) ([]Gradient, error) { return nil, broken }}})
	if _, err := loss(0, make([]Output, 1)); err != nil {
		t.Error(err)
	}
	if _, err := loss(1, make([]Output, 1)); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	returns := func(n int) Loss {
		return func(int, []Output) ([]Gradient, error) { return make([]Gradient, n), nil }
	}
	_, loss = Join([]Part{{make([]Datum, 2), returns(1)}, {make([]Datum, 2), returns(3)}})
	if _, err := loss(0, make([]Output, 4)); err == nil {
		t.Error("gradients of one part were taken for those of another")
	}
}
