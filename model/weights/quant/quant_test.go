package quant

import (
	"math"
	"testing"
)

// TestInt8Tiny: where the factor 127/absmax overflows, the integers are still right.
func TestInt8Tiny(t *testing.T) {
	if m := QuantizeInt8(1, 2, []float32{1.8e-37, -0.9e-37}); m.Q[0] != 127 || m.Q[1] != -64 {
		t.Errorf("the integers are %d", m.Q)
	}
}

// TestNF4Double: with several nested blocks, the absmaxes come back within the coarsest step of the 8-bit code.
func TestNF4Double(t *testing.T) {
	x := make([]float32, 64*600+5)
	for i := range x {
		x[i] = float32(math.Sin(float64(i))) * float32(1+i%977)
	}
	plain, double := QuantizeNF4(x, false), QuantizeNF4(x, true)
	if n := len(double.Scale.Nested); n != 3 {
		t.Fatalf("%d nested blocks, want 3", n)
	}
	for i, want := range plain.Scale.Plain {
		limit := float64(double.Scale.Nested[i/nestedBlock]) * 0.01
		if got := double.Scale.At(i); math.Abs(float64(got-want)) > limit {
			t.Errorf("absmax %d is %g, want %g within %g", i, got, want, limit)
		}
	}
}

func TestDecodePanicsOnWrongLength(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	f, _ := Lookup("Q8_0")
	f.Decode(make([]float32, 32), make([]byte, 33))
}

func TestLookupUnknown(t *testing.T) {
	if _, ok := Lookup("IQ4_XS"); ok {
		t.Error("found a format that there is no decoder for")
	}
}

// TestNearestLevel: the short search finds what the plain one does, between levels and exactly in the middle.
func TestNearestLevel(t *testing.T) {
	check := func(v float32) {
		if got, want := int(nearestLevel(v)), nearest(nf4Table[:], v); got != want {
			t.Fatalf("nearestLevel(%g) is %d, want %d", v, got, want)
		}
	}
	for _, m := range append(nf4Middles[:], nf4Table[:]...) {
		for _, v := range []float32{m, math.Nextafter32(m, 2), math.Nextafter32(m, -2), -m} {
			check(v)
		}
	}
	for v := float32(-1.1); v < 1.1; v += 1e-4 {
		check(v)
	}
	check(float32(math.NaN()))
}
