package recipe_test

import "testing"

func TestMemory(t *testing.T) {
	for text, want := range map[string]float64{"": 0, "8GiB": 8 << 30, "1.5 gib": 1.5 * (1 << 30), "500MB": 500e6, "2TiB": 2 << 40, "64kib": 64 << 10} {
		r, err := lang.Load("debate-sums", []string{"memory=" + text})
		if err != nil || r.MemoryBytes() != want {
			t.Errorf("memory %q: %v bytes, want %v, %v", text, r.MemoryBytes(), want, err)
		}
	}
	for _, text := range []string{"8", "GiB", "8 bytes", "-8GiB", "8GiBs", "8,5GiB", "0MB", "8G"} {
		if _, err := lang.Load("debate-sums", []string{"memory=" + text}); err == nil {
			t.Errorf("%q is taken for an amount of memory", text)
		}
	}
}
