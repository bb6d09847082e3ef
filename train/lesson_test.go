package train

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"parley/engine"
)

// A pupil notes the first token of what it is trained on, call by call.
type pupil struct {
	engine.Engine
	calls [][]int
}

func (p *pupil) ForwardBackward(_ context.Context, data []engine.Datum, loss engine.Loss) error {
	var call []int
	for _, d := range data {
		call = append(call, d.Tokens[0])
	}
	p.calls = append(p.calls, call)
	_, err := loss(0, make([]engine.Output, len(data)))
	return err
}

// Policies of one engine are trained in one call, in the order of their lessons; each loss is told of its own data.
func TestStudyTogether(t *testing.T) {
	a, b := &pupil{}, &pupil{}
	told := map[engine.Policy]int{}
	lessonOf := func(e engine.Engine, p engine.Policy, tokens ...int) lesson {
		l := lesson{to: target{e, p}}
		for _, id := range tokens {
			l.data = append(l.data, engine.Datum{Policy: p, Tokens: []int{id}})
		}
		l.loss = func(first int, outputs []engine.Output) ([]engine.Gradient, error) {
			told[p] += len(outputs)
			return make([]engine.Gradient, len(outputs)), nil
		}
		return l
	}
	lessons := []lesson{lessonOf(a, "p", 1, 2), lessonOf(b, "q", 3), lessonOf(a, "r", 4, 5, 6)}
	if err := study(t.Context(), lessons); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a.calls, [][]int{{1, 2, 4, 5, 6}}) || !reflect.DeepEqual(b.calls, [][]int{{3}}) {
		t.Errorf("calls %v and %v", a.calls, b.calls)
	}
	if want := (map[engine.Policy]int{"p": 2, "q": 1, "r": 3}); !reflect.DeepEqual(told, want) {
		t.Errorf("losses were told of %v data, want %v", told, want)
	}
	lessons[2].loss = func(int, []engine.Output) ([]engine.Gradient, error) { return nil, engine.ErrNotFinite }
	if err := study(t.Context(), lessons); err == nil || !strings.Contains(err.Error(), "train p, r") {
		t.Errorf("got %v", err)
	}
}
