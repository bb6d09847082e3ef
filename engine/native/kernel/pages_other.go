//go:build !linux

package kernel

// mapPages returns zeroed memory and what gives it back: here the Go heap's.
func mapPages(size int) (mem []byte, unmap func()) { return make([]byte, size), func() {} }

// dropPages is for the collector to do here.
func dropPages([]byte) {}
