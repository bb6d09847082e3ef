package kernel

import (
	"runtime"
	"sync"
	"unsafe"
)

const (
	// arenaBytes is what an arena asks the system for at a time.
	arenaBytes = 32 << 20
	// arenaLeast is the size from which memory comes from an arena: below, pages do not matter. The matrices of an adapter are above it:
	// they lie one after another, as products read them.
	arenaLeast = 4 << 10
	// cacheLine is what memory of an arena begins at a multiple of.
	cacheLine = 64
)

// An arena hands out memory for weights, outside the Go heap and in huge pages. It is given back piece by piece and returns to
// the system when all pieces of a chunk have been.
type arena struct {
	mu      sync.Mutex
	current *chunk
}

// A chunk is memory that pieces are cut off from.
type chunk struct {
	mem   []byte // what is left
	live  int    // pieces in use
	full  bool   // no more pieces will come
	unmap func()
}

// take returns size bytes of zeros that belong to owner: they are given back when nothing refers to owner any more. Who works
// on them must keep it alive.
func take[T any](a *arena, owner *T, size int) []byte {
	if size < arenaLeast {
		words := make([]uint64, ceil(size, 8))
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), size)
	}
	mem, from := a.cut(size)
	runtime.AddCleanup(owner, a.release, from)
	return mem
}

func (a *arena) cut(size int) ([]byte, *chunk) {
	a.mu.Lock()
	defer a.mu.Unlock()
	room := ceil(size, cacheLine) * cacheLine
	if a.current == nil || len(a.current.mem) < room {
		a.retire()
		a.current = &chunk{}
		a.current.mem, a.current.unmap = mapPages(max(arenaBytes, room))
	}
	c := a.current
	mem := c.mem[:size:size]
	c.mem = c.mem[room:]
	c.live++
	return mem, c
}

// retire ends the current chunk.
func (a *arena) retire() {
	if a.current != nil {
		a.current.full = true
		a.current.release()
		a.current = nil
	}
}

func (c *chunk) release() {
	if c.full && c.live == 0 {
		c.unmap()
	}
}

func (a *arena) release(c *chunk) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c.live--
	c.release()
}

func (a *arena) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.retire()
}

// as views memory as words of another type, of 1, 2, 4 or 8 bytes.
func as[T any](mem []byte) []T {
	var word T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(mem))), len(mem)/int(unsafe.Sizeof(word)))
}

// scratch is the memory that one unit of a product works in. It is pooled: through a set's function values it would
// otherwise be allocated each time.
type scratch struct {
	tile    [2 * rowBlock * panelWidth]float32           // result of panels that reach beyond the last column
	panel   [gradBlock * gradPanels * panelWidth]float32 // right operand of a weight gradient, columns brought together
	corner  [tilesFew * panelWidth * panelWidth]float32  // part of the weights before it is transposed
	right   []float32                                    // right operand of one block
	sums    []float32                                    // result before it is scaled
	lowRank []float32                                    // right operand of a low-rank part
	queue   prefetchQueue                                // what the unit prefetches beside its own operands
	paced   pacedPrefetch                                // what its tiles prefetch at an even pace
	after   unit                                         // what is computed next
}

var scratchPool = sync.Pool{New: func() any { return new(scratch) }}

// grown returns n values of memory kept in buffer, whatever they are.
func grown(buffer *[]float32, n int) []float32 {
	if cap(*buffer) < n {
		*buffer = make([]float32, n)
	}
	return (*buffer)[:n]
}
