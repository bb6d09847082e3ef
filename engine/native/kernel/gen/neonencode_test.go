package main

import "testing"

// TestNEONEncodings: the words that GNU as gives.
func TestNEONEncodings(t *testing.T) {
	for name, want := range map[string]uint32{
		"FADD": 0x4e31d45f, "FSUB": 0x4eb1d45f, "FMUL": 0x6e31dc5f, "FDIV": 0x6e31fc5f, "FMAX": 0x4e31f45f, "FMIN": 0x4eb1f45f,
		"FADDP": 0x6e31d45f, "FMAXP": 0x6e31f45f, "FCMEQ": 0x4e31e45f,
	} {
		if got := neonWord(name, 31, 2, 17); got != want {
			t.Errorf("%s V31, V2, V17 is %08x, want %08x", name, got, want)
		}
	}
	for name, want := range map[string]uint32{
		"FSQRT": 0x6ea1fa23, "FRINTN": 0x4e218a23, "FCVTNS": 0x4e21aa23, "SCVTF": 0x4e21da23, "FNEG": 0x6ea0fa23, "SSHR": 0x4f3f0623,
		"SHLL": 0x2e613a23, "SHLL2": 0x6e613a23,
	} {
		if got := neonWord(name, 3, 17, 0); got != want {
			t.Errorf("%s V3, V17 is %08x, want %08x", name, got, want)
		}
	}
	for _, c := range []struct {
		d, x, lane int
		want       uint32
	}{{3, 1, 0, 0x4f811043}, {3, 1, 1, 0x4fa11043}, {3, 30, 2, 0x4f9e1843}, {29, 31, 3, 0x4fbf185d}} {
		if got := neonLane(c.d, 2, c.x, c.lane); got != c.want {
			t.Errorf("FMLA V%d, V2, V%d.S[%d] is %08x, want %08x", c.d, c.x, c.lane, got, c.want)
		}
	}
}
