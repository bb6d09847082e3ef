package kernel

// NewFloats returns n zeros and what gives their memory back. Large ones lie outside the Go heap, in huge pages where the system
// has them, and take memory only as they are written to.
func NewFloats(n int) (x []float32, free func()) {
	if 4*n < arenaLeast {
		return make([]float32, n), func() {}
	}
	mem, unmap := mapPages(4 * n)
	return as[float32](mem), unmap
}
