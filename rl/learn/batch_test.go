package learn

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"parley/engine"
)

// A diary notes the first token of what it is trained on, call by call.
type diary struct {
	engine.Engine
	calls [][]int
}

func (p *diary) ForwardBackward(_ context.Context, data []engine.Datum, loss engine.Loss) error {
	var call []int
	for _, d := range data {
		call = append(call, d.Tokens[0])
	}
	p.calls = append(p.calls, call)
	_, err := loss(0, make([]engine.Output, len(data)))
	return err
}

// Policies of one engine are trained in one call, in the order of their batches; each loss is told of its own data.
func TestAccumulateTogether(t *testing.T) {
	a, b := &diary{}, &diary{}
	told := map[engine.Policy]int{}
	batchOf := func(e engine.Engine, p engine.Policy, tokens ...int) PolicyBatch {
		b := PolicyBatch{To: PolicyRef{e, p}}
		for _, id := range tokens {
			b.Data = append(b.Data, engine.Datum{Policy: p, Tokens: []int{id}})
		}
		b.Loss = func(first int, outputs []engine.Output) ([]engine.Gradient, error) {
			told[p] += len(outputs)
			return make([]engine.Gradient, len(outputs)), nil
		}
		return b
	}
	batches := []PolicyBatch{batchOf(a, "p", 1, 2), batchOf(b, "q", 3), batchOf(a, "r", 4, 5, 6)}
	if err := Accumulate(t.Context(), batches); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a.calls, [][]int{{1, 2, 4, 5, 6}}) || !reflect.DeepEqual(b.calls, [][]int{{3}}) {
		t.Errorf("calls %v and %v", a.calls, b.calls)
	}
	if want := (map[engine.Policy]int{"p": 2, "q": 1, "r": 3}); !reflect.DeepEqual(told, want) {
		t.Errorf("losses were told of %v data, want %v", told, want)
	}
	batches[2].Loss = func(int, []engine.Output) ([]engine.Gradient, error) { return nil, engine.ErrNotFinite }
	if err := Accumulate(t.Context(), batches); err == nil || !strings.HasPrefix(err.Error(), "train p, r: r: ") {
		t.Errorf("got %v", err)
	}
}
