package explain_test

import (
	"strings"
	"testing"

	"parley/viewer/explain"
)

// TestValued: a critic's value is claimed where all answers to a prompt have the same.
func TestValued(t *testing.T) {
	same := []explain.Pair{{Return: 2, Advantage: 1.5}, {Return: 0, Advantage: -0.5}}
	f, ok := explain.Valued(same, 1)
	if !ok || !f.Exact || f.Filled != "−0.5 = 0 − 0.5" || f.Terms[2].Value != 0.5 {
		t.Errorf("%+v, %v", f, ok)
	}
	for _, other := range [][]explain.Pair{same[:1], {same[0], {Return: 0, Advantage: -0.4}}} {
		if f, ok := explain.Valued(other, 0); ok {
			t.Errorf("%v are explained by %s", other, f.Filled)
		}
	}
	if f := explain.Unvalued(2, 1.5); f.Exact || !strings.Contains(f.Filled, "1.5 = 2 + ") {
		t.Errorf("%+v", f)
	}
}
