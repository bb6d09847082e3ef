package kernel

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Elements of a packed matrix that are read are those that were packed or set, whatever part is taken; all others, and the padding, stay.
func TestValues(t *testing.T) {
	k, err := New("", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	rapid.Check(t, func(t *rapid.T) {
		out, in := rapid.IntRange(1, 40).Draw(t, "out"), rapid.IntRange(1, 40).Draw(t, "in")
		w := make([]float32, out*in)
		for i := range w {
			w[i] = float32(i + 1)
		}
		m := k.Pack(out, in, w)
		from := rapid.IntRange(0, len(w)).Draw(t, "from")
		n := rapid.IntRange(0, len(w)-from).Draw(t, "n")
		first := from / in
		if rapid.Bool().Draw(t, "from an earlier row") {
			first = 0
		}
		if first == out {
			first = out - 1
		}
		at := from - first*in
		got := make([]float32, n)
		m.Values(got, first, at)
		if !slices.Equal(got, w[from:from+n]) {
			t.Fatalf("read %v, want %v", got, w[from:from+n])
		}
		for i := range got {
			got[i] = -got[i]
		}
		m.SetValues(got, first, at)
		copy(w[from:], got)
		if want := k.Pack(out, in, w); !slices.Equal(m.panels, want.panels) {
			t.Fatalf("after %d elements from %d on were set, [%d, %d] has panels %v, want %v", n, from, out, in, m.panels, want.panels)
		}
	})
}
