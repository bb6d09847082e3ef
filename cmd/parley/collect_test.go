package main

import "testing"

// TestPercent: a small heap gets room for garbage, a large one a quarter of its size.
func TestPercent(t *testing.T) {
	for live, want := range map[uint64]int{0: 400, 1 << 20: 400, 8 << 20: 200, 64 << 20: 25, 1 << 40: 25} {
		if got := percent(live); got != want {
			t.Errorf("%d bytes stay: %d percent, want %d", live, got, want)
		}
	}
}
