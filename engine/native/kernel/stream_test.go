package kernel

import (
	"runtime"
	"testing"
)

// Streams small and large are zeros at first, hold what is written, and can be freed twice or forgotten.
func TestStream(t *testing.T) {
	for _, n := range []int{0, 1, 1000, streamLeast/4 - 1, streamLeast / 4, 3*streamLeast + 5} {
		s := NewStream(n)
		if len(s.Floats) != n {
			t.Fatalf("a stream of %d floats has %d", n, len(s.Floats))
		}
		for i, v := range s.Floats {
			if v != 0 {
				t.Fatalf("float %d of a new stream is %g", i, v)
			}
			s.Floats[i] = float32(i)
		}
		runtime.GC()
		if n > 0 && s.Floats[n-1] != float32(n-1) {
			t.Fatalf("the last float is %g, want %d", s.Floats[n-1], n-1)
		}
		s.Free()
		s.Free()
		if s.Floats != nil {
			t.Error("a freed stream still has floats")
		}
		NewStream(n)
	}
	runtime.GC()
}
