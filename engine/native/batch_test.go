package native

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"parley/engine"
)

// Data of one policy in a row go through together where they fit, as they do in a call of their own; the gradients of policies that are
// trained in one call are those of calls for each, bit for bit.
func TestPoliciesStayTogether(t *testing.T) {
	e := openTiny(t, tiny, engine.Options{})
	lively(t, e)
	group := func(p engine.Policy, n, prompt, new int) []engine.Datum {
		data := make([]engine.Datum, n)
		for i := range data {
			data[i] = engine.Datum{Policy: p, ScoreFrom: prompt}
			for j := range prompt + new + 1 {
				token := j % tiny.Vocab
				if j >= prompt {
					token = (i + 3*j*j) % tiny.Vocab
				}
				data[i].Tokens = append(data[i].Tokens, token)
			}
		}
		return data
	}
	p, q := group("p", 3, 10, 8), group("q", 3, 10, 8) // 10 + 3·8 = 34 tokens each, less what completions share by chance
	size := func(tokens int) float64 {                 // of a pass of both
		return floatBytes * e.shape.sizing(e.policies["p"].ranks.max(e.policies["q"].ranks)).passFloats(tokens)
	}
	long, longer := group("p", 20, 20, 40), group("q", 20, 20, 40) // more than a row tile each
	short := group("p", 1, 4, 2)
	for _, c := range []struct {
		name  string
		data  []engine.Datum
		limit int
		room  float64 // bytes
		want  []int   // data of each batch
	}{
		{"both fit", slices.Concat(p, q), 70, math.Inf(1), []int{6}},
		{"one at a time", slices.Concat(p, q), 50, math.Inf(1), []int{3, 3}},
		{"both would have to compute activations again", slices.Concat(p, q), 70, size(50), []int{3, 3}},
		{"one has to, as it would by itself", slices.Concat(p, q), 70, size(20), []int{3, 3}},
		{"both have enough for fast products", slices.Concat(long, longer), 4096, math.Inf(1), []int{20, 20}},
		{"one has", slices.Concat(long, q, p), 4096, math.Inf(1), []int{26}},
		{"a policy that fits nowhere", slices.Concat(short, q), 27, math.Inf(1), []int{1, 2, 1}},
		{"a policy that comes again", slices.Concat(p, q[:1], p), 60, math.Inf(1), []int{7}},
		{"too much of one policy", p, 27, math.Inf(1), []int{2, 1}},
	} {
		batches, err := e.batches(c.data, c.limit, c.room)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, b := range batches {
			got = append(got, len(b.data))
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: batches of %v, want %v", c.name, got, c.want)
		}
	}
	data := slices.Concat(p, q)
	want := gradients(t, e, data, 3)
	for _, limit := range []int{50, 70} {
		e := openTiny(t, tiny, engine.Options{BatchTokens: limit})
		lively(t, e)
		sameBits(t, "in one call", gradients(t, e, data, 6), want)
	}
}
