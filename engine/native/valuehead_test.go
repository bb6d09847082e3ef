package native

import (
	"math"
	"testing"

	"parley/engine"
)

// TestHiddenValueHead: a head with a hidden layer has the parameters that estimates count, drawn with the deviation that was asked
// for, its biases zero; one that could not learn is refused. That its gradients are right is a matter of TestGradientIsTheDerivative.
func TestHiddenValueHead(t *testing.T) {
	e := openTiny(t, tiny, engine.Options{})
	spec := engine.PolicySpec{Rank: 2, Alpha: 2, ValueHead: true, ValueHidden: 500, ValueInit: 0.02}
	if err := e.NewPolicy(t.Context(), "critic", spec); err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, p := range e.policies["critic"].params {
		total += p.size()
	}
	if got := e.shape.adapterParameters(spec); got != total {
		t.Errorf("%d parameters estimated, the policy has %d", got, total)
	}
	h := e.policies["critic"].value
	for _, p := range h.params() {
		squares := 0.0
		for _, w := range p.w {
			squares += float64(w) * float64(w)
		}
		deviation := math.Sqrt(squares / float64(p.size()))
		if weight := p == h.w || p == h.hidden; weight && math.Abs(deviation-0.02) > 0.002 || !weight && deviation != 0 {
			t.Errorf("%s of shape %v has deviation %v", p.name, p.shape, deviation)
		}
	}
	spec.ValueInit = 0
	if err := e.NewPolicy(t.Context(), "dead", spec); err == nil {
		t.Error("a hidden layer of zeros is accepted")
	}
}
