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

// AskFloats is NewFloats for more than is needed: the system may refuse, as where the addresses of a process are limited.
func AskFloats(n int) (x []float32, free func(), ok bool) {
	mem, unmap, ok := askPages(4 * n)
	return as[float32](mem), unmap, ok
}

// mapPages is askPages that gets ordinary memory where the system refuses.
func mapPages(size int) (mem []byte, unmap func()) {
	if mem, unmap, ok := askPages(size); ok {
		return mem, unmap
	}
	return make([]byte, size), func() {}
}
