package kernel

import (
	"testing"

	"pgregory.net/rapid"
)

// MulSmall has the bits of Mul, whatever the shape.
func TestMulSmall(t *testing.T) {
	for _, name := range testSets() {
		k := open(t, name, 2)
		rapid.Check(t, func(rt *rapid.T) {
			rows, out, in := rapid.IntRange(1, rowBlock+3).Draw(rt, "rows"), rapid.IntRange(1, 70).Draw(rt, "out"), rapid.OneOf(rapid.IntRange(1, 80), rapid.Just(aliasedWords)).Draw(rt, "in")
			p := newProduct(rapid.Uint64().Draw(rt, "seed"), rows, out, in, rapid.Bool().Draw(rt, "accumulate"))
			m := k.Pack(out, in, p.w)
			got, check := fenced(t, p.y)
			want, _ := fenced(t, p.y)
			k.MulSmall(got, p.x, rows, m, p.accumulate)
			k.Mul(want, p.x, rows, m, p.accumulate)
			check()
			sameBits(rt, name, got, want)
		})
	}
}
