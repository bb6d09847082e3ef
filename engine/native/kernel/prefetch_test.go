package kernel

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/engine"
)

// TestMulAllPrefetch: what a product prefetches changes none of its bits, whatever it is.
func TestMulAllPrefetch(t *testing.T) {
	for _, name := range testSets() {
		k := open(t, name, 2)
		rapid.Check(t, func(rt *rapid.T) {
			rows, out, in := rapid.IntRange(1, rowBlock+3).Draw(rt, "rows"), rapid.IntRange(1, 150).Draw(rt, "out"), rapid.IntRange(0, 150).Draw(rt, "in")
			f := rapid.SampledFrom(formats).Draw(rt, "format")
			p := newProduct(rapid.Uint64().Draw(rt, "seed"), rows, out, in, rapid.Bool().Draw(rt, "accumulate"))
			m := k.PackAs(f, out, in, p.w)
			var prefetch Prefetch
			for range rapid.IntRange(0, 4).Draw(rt, "matrices") {
				prefetch.Add(k.NewMatrix(engine.F32, rapid.IntRange(0, 90).Draw(rt, "out of one"), rapid.IntRange(0, 90).Draw(rt, "in of one")))
			}
			got, check := fenced(t, p.y)
			want, _ := fenced(t, p.y)
			k.MulAllPrefetch(&prefetch, [][]float32{got}, p.x, rows, []*Matrix{m}, p.accumulate)
			k.Mul(want, p.x, rows, m, p.accumulate)
			check()
			sameBits(rt, fmt.Sprint(name, " ", f), got, want)
		})
	}
}

// TestPrefetchQueue: the units of a product prefetch every byte that is needed after it, where their calls can prefetch
// for as much.
func TestPrefetchQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Prefetch
		var lines []uintptr
		at := uintptr(1 << 20)
		for _, n := range rapid.SliceOfN(rapid.IntRange(1, 40), 1, 6).Draw(t, "lines of spans") {
			s.spans, s.bytes = append(s.spans, span{at, n * cacheLine}), s.bytes+n*cacheLine
			for range n {
				lines, at = append(lines, at), at+cacheLine
			}
			at += 64 * cacheLine
		}
		units, calls, reach := rapid.IntRange(1, 5).Draw(t, "units"), rapid.IntRange(1, 50).Draw(t, "calls"), rapid.IntRange(1, 20).Draw(t, "reach")
		var asked []uintptr
		left := 0
		for i := range units {
			a := s.part(i, units, calls)
			before := a
			for range calls {
				asked = append(asked, linesOf(s.spans, a.take(reach*cacheLine), reach)...)
			}
			left += max(0, a.left)
			if a.left > 0 && 2*calls*reach*cacheLine >= before.left+2*len(s.spans)*reach*cacheLine {
				t.Fatalf("%d calls of twice %d lines did not ask for %d bytes of %d", calls, reach, a.left, before.left)
			}
		}
		slices.Sort(asked)
		if asked = slices.Compact(asked); left == 0 && !slices.Equal(asked, lines) {
			t.Fatalf("asked for %x, not %x", asked, lines)
		}
	})
}

// linesOf are the lines of spans that one call prefetches: two streams, which may reach beyond the end of a span.
func linesOf(spans []span, e prefetchStreams, reach int) []uintptr {
	var all []uintptr
	for _, from := range []uintptr{e.from, e.from + uintptr(e.apart)} {
		for i := range reach {
			line := from + uintptr(i*cacheLine)
			if slices.ContainsFunc(spans, func(s span) bool { return line >= s.from && line < s.from+uintptr(s.bytes) }) {
				all = append(all, line)
			}
		}
	}
	return all
}

// TestPrefetchJoins: matrices that lie one after another are one span.
func TestPrefetchJoins(t *testing.T) {
	k := open(t, Available()[0], 1)
	var s Prefetch
	first, second := k.NewMatrix(engine.F32, 16, 128), k.NewMatrix(engine.F32, 32, 64)
	s.Add(first)
	s.Add(second)
	if len(s.spans) != 1 || s.bytes != first.Bytes()+second.Bytes() || s.spans[0].bytes != s.bytes {
		t.Errorf("two neighbours of %d and %d bytes are %v", first.Bytes(), second.Bytes(), s)
	}
	s.Add(first)
	if s.Clear(); len(s.spans) != 0 || s.bytes != 0 {
		t.Errorf("a cleared list has %v", s)
	}
}
