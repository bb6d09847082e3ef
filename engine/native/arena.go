package native

import "parley/engine/native/kernel"

// An arena hands out the buffers of a pass by moving a mark, and takes them all back at once. Its memory lies outside the Go heap:
// it takes what the largest pass took, whatever the collector does. Buffers are not cleared.
type arena struct {
	blocks []arenaBlock
	mark   mark
	peak   int // most values handed out at a time
}

type arenaBlock struct {
	floats []float32
	free   func()
	before int // room of the blocks before
}

// A mark is a place in an arena: everything handed out after it can be taken back together.
type mark struct{ block, used int }

// blockFloats is the room of the first block. Each further one has as much as those before together, of which only what is
// written to takes memory.
const blockFloats = 1 << 20

// floats returns a buffer of n values, whatever they are.
func (a *arena) floats(n int) []float32 {
	for ; a.mark.block < len(a.blocks); a.mark = (mark{block: a.mark.block + 1}) {
		if len(a.blocks[a.mark.block].floats)-a.mark.used >= n {
			return a.take(n)
		}
	}
	var b arenaBlock
	if last := len(a.blocks) - 1; last >= 0 {
		b.before = a.blocks[last].before + len(a.blocks[last].floats)
	}
	var ok bool
	if b.floats, b.free, ok = kernel.AskFloats(max(n, blockFloats, b.before)); !ok {
		b.floats, b.free = kernel.NewFloats(n)
	}
	a.blocks = append(a.blocks, b)
	return a.take(n)
}

// take hands out n values of the block of the mark.
func (a *arena) take(n int) []float32 {
	b := &a.blocks[a.mark.block]
	from := a.mark.used
	a.mark.used += n
	a.peak = max(a.peak, b.before+a.mark.used)
	return b.floats[from:a.mark.used:a.mark.used]
}

// release takes back what was handed out after m.
func (a *arena) release(m mark) { a.mark = m }

// reset takes everything back.
func (a *arena) reset() { a.mark = mark{} }

// close gives the memory back to the system.
func (a *arena) close() {
	for _, b := range a.blocks {
		b.free()
	}
	*a = arena{}
}
