package explain

import "testing"

// TestNumber: what rounding leaves of 0 is 0; numbers that are small on purpose are shown.
func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{0: "0", -4.6e-18: "0", 1.1e-16: "0", -3e-5: "−3e-05", 0.25: "0.25", -12.34567: "−12.35"} {
		if got := number(x); got != want {
			t.Errorf("%g is %s, want %s", x, got, want)
		}
	}
}
