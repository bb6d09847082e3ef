//go:build !linux

package kernel

// askPages returns zeroed memory and what gives it back: here the Go heap's, which does not refuse.
func askPages(size int) (mem []byte, unmap func(), ok bool) {
	return make([]byte, size), func() {}, true
}

// dropPages is for the collector to do here.
func dropPages([]byte) {}
