package main

import (
	"fmt"
	"testing"
)

// TestEncodings: the bytes that GNU as gives.
func TestEncodings(t *testing.T) {
	for _, c := range []struct {
		e       encoding
		d, a, b int
		want    string
	}{
		{dotBF16, 0, 1, 2, "62 f2 76 48 52 c2"},
		{dotBF16, 9, 17, 31, "62 12 76 40 52 cf"},
		{toBF16, 0, 1, 2, "62 f2 77 48 72 c2"},
	} {
		bytes := c.e.bytes(c.d, c.a, c.b)
		if got := fmt.Sprintf("% x", bytes[:]); got != c.want {
			t.Errorf("%s of %d, %d, %d is %s, want %s", c.e.name, c.d, c.a, c.b, got, c.want)
		}
	}
}
