package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/engine"
)

// TestPrefetchedCodes: what int8 operands are said to be made of is what load reads for them.
func TestPrefetchedCodes(t *testing.T) {
	if _, ok := sets()["avx2"]; !ok {
		t.Log("this processor lacks AVX2: nothing asks")
		return
	}
	k := open(t, "avx2", 1)
	rapid.Check(t, func(t *rapid.T) {
		out, in := rapid.IntRange(1, 100).Draw(t, "out"), rapid.IntRange(4, 100).Draw(t, "in")
		w := k.PackAs(engine.Int8, out, in, normal(rand.New(rand.NewPCG(1, 1)), out*in)).low
		first := rapid.IntRange(0, panelsOf(out)-1).Draw(t, "first")
		panel := rapid.IntRange(0, panelsOf(out)-1-first).Draw(t, "panel")
		from := 4 * rapid.IntRange(0, in/4-1).Draw(t, "from")
		source := lowSource{&lowAVX2, w, first}

		var before, after [4 * panelWidth]float32
		source.load(before[:], 0, panel, 1, from, 4, nil)
		words := source.next(panel, from).words[:int8Block/4]
		for i := range words {
			words[i] = 0
		}
		source.load(after[:], 0, panel, 1, from, 4, nil)
		if slices.Max(before[:]) == 0 && slices.Min(before[:]) == 0 {
			t.Fatal("all codes were zero before")
		}
		if after != [4 * panelWidth]float32{} {
			t.Fatalf("panel %d from word %d: other codes than those asked for", first+panel, from)
		}
	})
}
