package native

import (
	"fmt"
	"math"
	"testing"

	"parley/engine"
)

// bytesOf counts what a policy takes: its packed matrices, gradients, moments, and values that are not packed.
func bytesOf(p *policy) int {
	n := 0
	for _, q := range p.params {
		n += floatBytes * (len(q.w) + len(q.g) + len(q.m) + len(q.v))
	}
	for i := range p.loraGroups {
		for _, s := range p.loraGroups[i] {
			if s == nil {
				continue
			}
			n += s.panel.Bytes()
			s.each(func(_ int, l *lora, _ int) { n += l.panel.Bytes() })
		}
	}
	return n
}

// An adapter takes its parameters, in whole panels, while it speaks; gradients and the optimizer's two moments beside them once it is trained; and no more. Both
// are what is predicted, and a step moves the values where they are.
func TestAdapterMemory(t *testing.T) {
	for name, spec := range map[string]engine.PolicySpec{
		"all":     {Rank: 8, Alpha: 16},
		"odd":     {Rank: 5, Alpha: 5, Targets: []string{"k_proj", "down_proj"}},
		"valued":  {Rank: 4, Alpha: 4, ValueHead: true, ValueHidden: 24, ValueInit: 0.1},
		"valued1": {Rank: 16, Alpha: 4, ValueHead: true, ValueInit: 0.1},
	} {
		t.Run(name, func(t *testing.T) {
			e := openTiny(t, deep, engine.Options{})
			if err := e.NewPolicy(t.Context(), "p", spec); err != nil {
				t.Fatal(err)
			}
			p := e.policies["p"]
			parameters := 0
			for _, q := range p.params {
				parameters += q.size()
				if q.packed.matrix != nil && (q.w != nil || q.g != nil || q.m != nil) {
					t.Errorf("%s has more than its packed values before it is trained", q.name)
				}
			}
			if parameters != shapeOf(deep).adapterParameters(spec) {
				t.Fatalf("%d parameters, counted %d", parameters, shapeOf(deep).adapterParameters(spec))
			}
			before := make([][]float32, len(p.params))
			for i, q := range p.params {
				before[i] = append([]float32(nil), q.values()...)
			}
			if err := e.ForwardBackward(t.Context(), []engine.Datum{{Policy: "p", Tokens: []int{1, 2, 3, 4}, ScoreFrom: 1}}, coupling); err != nil {
				t.Fatal(err)
			}
			if _, err := e.Step(t.Context(), "p", testAdam); err != nil {
				t.Fatal(err)
			}
			got, want := float64(bytesOf(p)), NewPlan(deep, engine.Options{}).Footprint(engine.Load{Length: 1}, []engine.PolicySpec{spec}).Policies
			if math.Abs(got-want) > 1 {
				t.Errorf("it takes %.0f bytes, predicted %.0f", got, want)
			}
			if most := 4 * floatBytes * float64(parameters) * 1.5; got > most {
				t.Errorf("it takes %.0f bytes, more than %.0f", got, most)
			}
			for i, q := range p.params {
				if fmt.Sprint(before[i]) == fmt.Sprint(q.values()) {
					t.Errorf("the step left %s as it was", q.name)
				}
			}
		})
	}
}
