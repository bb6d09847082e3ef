package kernel

import "testing"

// TestMeasures: the rates are there; what they are depends on the machine.
func TestMeasures(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		f32, bf16 := k.Peak()
		if read := k.ReadRate(); f32 <= 0 || bf16 <= 0 || read <= 0 {
			t.Errorf("peaks of %g and %g GFLOP/s, %g bytes a second", f32, bf16, read)
		}
	}, 1, 2)
}
