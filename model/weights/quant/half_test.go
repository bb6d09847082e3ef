package quant

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestBF16RoundTrip(t *testing.T) {
	for i := range 1 << 16 {
		f := FromBF16(uint16(i))
		if got := ToBF16(f); got != uint16(i) && !(f != f && FromBF16(got) != FromBF16(got)) {
			t.Fatalf("bf16 %#04x -> %v -> %#04x", i, f, got)
		}
	}
}

func TestF16RoundTrip(t *testing.T) {
	for i := range 1 << 16 {
		f := FromF16(uint16(i))
		if got := ToF16(f); got != uint16(i) && !(f != f && FromF16(got) != FromF16(got)) {
			t.Fatalf("f16 %#04x -> %v -> %#04x", i, f, got)
		}
	}
}

func TestF16Known(t *testing.T) {
	for h, want := range map[uint16]float32{
		0x0000: 0, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x0400: 0x1p-14, 0x0001: 0x1p-24, 0x3555: 0.333251953125,
		0x7c00: float32(math.Inf(1)), 0xfc00: float32(math.Inf(-1)), 0x03ff: 1023 * 0x1p-24,
	} {
		if got := FromF16(h); got != want {
			t.Errorf("FromF16(%#04x) = %v, want %v", h, got, want)
		}
	}
}

// nearestEven checks that narrow(f) is the value of the format nearest to f, and the even one of two equally near.
func nearestEven(t *rapid.T, f float32, narrow func(float32) uint16, widen func(uint16) float32) {
	h := narrow(f)
	err := math.Abs(float64(widen(h)) - float64(f))
	for _, n := range []uint16{h - 1, h + 1} {
		v := float64(widen(n))
		if math.IsInf(v, 0) || math.IsNaN(v) || math.Signbit(v) != math.Signbit(float64(f)) {
			continue
		}
		other := math.Abs(v - float64(f))
		if other < err || other == err && h&1 == 1 {
			t.Fatalf("%g became %g (%#04x), nearer or even is %g (%#04x)", f, widen(h), h, v, n)
		}
	}
}

func TestNarrowingRoundsToNearestEven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.Uint32Range(0, 0x7f000000).Draw(t, "bits") | rapid.SampledFrom([]uint32{0, 1 << 31}).Draw(t, "sign")
		nearestEven(t, math.Float32frombits(bits), ToBF16, FromBF16)
		small := rapid.Uint32Range(0x32000000, 0x477fe000).Draw(t, "small")
		nearestEven(t, math.Float32frombits(small), ToF16, FromF16)
		// exactly between two neighbours
		h := rapid.Uint16Range(0, 0x7bfe).Draw(t, "half")
		nearestEven(t, (FromF16(h)+FromF16(h+1))/2, ToF16, FromF16)
	})
}

func TestOverflow(t *testing.T) {
	if got := ToF16(65520); got != 0x7c00 {
		t.Errorf("65520 -> %#04x, want infinity", got)
	}
	if got := ToF16(65519); got != 0x7bff {
		t.Errorf("65519 -> %#04x, want the largest", got)
	}
	if got := ToBF16(math.MaxFloat32); got != 0x7f80 {
		t.Errorf("largest float32 -> %#04x, want infinity", got)
	}
}
