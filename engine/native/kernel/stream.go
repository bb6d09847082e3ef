package kernel

import (
	"runtime"
	"unsafe"
)

// streamLeast is the size in bytes from which a Stream is memory of its own: a few huge pages.
const streamLeast = 1 << 20

// A Stream is memory for numbers that are read one after another, such as keys and values: large ones lie outside the Go heap, in
// huge pages if the system has them. It is given back by Free, or when nothing refers to the Stream any more: who works on
// Floats must keep the Stream alive.
type Stream struct {
	Floats []float32
	free   func()
}

// NewStream returns n zeros.
func NewStream(n int) *Stream {
	if 4*n < streamLeast {
		return &Stream{Floats: make([]float32, n), free: func() {}}
	}
	mem, unmap := mapPages(4 * n)
	s := &Stream{Floats: unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(mem))), n)}
	cleanup := runtime.AddCleanup(s, func(unmap func()) { unmap() }, unmap)
	s.free = func() {
		cleanup.Stop()
		unmap()
	}
	return s
}

// Free gives the memory back. Floats must not be used any more.
func (s *Stream) Free() {
	s.free()
	s.Floats, s.free = nil, func() {}
}
