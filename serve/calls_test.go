package serve

import "testing"

// TestCallID: ids follow from the seed of an answer, so that the same answer has the same.
func TestCallID(t *testing.T) {
	for want, c := range map[string]struct {
		seed uint64
		call int
	}{"40kb74gyk": {0xe5aebd2d6633625e, 0}, "dyxtdznki": {0xe5aebd2d6633625e, 1}, "kn8tmf555": {0x89b805dcb0caa1a1, 0}} {
		if got := callID(c.seed, c.call); got != want {
			t.Errorf("call %d of %x is %s, expected %s", c.call, c.seed, got, want)
		}
	}
}
