package kernel

import (
	"runtime"
	"testing"
)

// Streams small and large are zeros at first, hold what is written, and can be freed twice or forgotten.
func TestStream(t *testing.T) {
	for _, n := range []int{0, 2, 1000, arenaLeast/4 - 2, arenaLeast / 4, arenaLeast / 2, arenaBytes/4 + 6} {
		for _, bf16 := range []bool{false, true} {
			s := NewStream(n, bf16)
			if len(s.F32)+len(s.BF16) != n || (s.BF16 != nil) != bf16 {
				t.Fatalf("a stream of %d words has %d in float32 and %d in bfloat16", n, len(s.F32), len(s.BF16))
			}
			fill(t, s.F32)
			fill(t, s.BF16)
			runtime.GC()
			if bf16 && n > 0 && s.BF16[n-1] != uint16(n-1) || !bf16 && n > 0 && s.F32[n-1] != float32(n-1) {
				t.Fatalf("the last of %d words is lost", n)
			}
			s.Free()
			s.Free()
			if s.F32 != nil || s.BF16 != nil {
				t.Error("a freed stream still has words")
			}
			NewStream(n, bf16)
		}
	}
	runtime.GC()
}

func fill[T float32 | uint16](t *testing.T, words []T) {
	t.Helper()
	for i, v := range words {
		if v != 0 {
			t.Fatalf("word %d of a new stream is %v", i, v)
		}
		words[i] = T(i)
	}
}
