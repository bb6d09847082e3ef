package native

// An arena hands out the buffers of a pass by moving a mark, and takes them all back at once. After a few passes it is one
// block that fits, and nothing is allocated any more. Buffers are not cleared.
type arena struct {
	blocks [][]float32
	mark   mark
}

// A mark is a place in an arena: everything handed out after it can be taken back together.
type mark struct{ block, used int }

const smallestBlock = 1 << 16

// floats returns a buffer of n values, whatever they are.
func (a *arena) floats(n int) []float32 {
	for ; a.mark.block < len(a.blocks); a.mark = (mark{block: a.mark.block + 1}) {
		if b := a.blocks[a.mark.block]; len(b)-a.mark.used >= n {
			a.mark.used += n
			return b[a.mark.used-n : a.mark.used : a.mark.used]
		}
	}
	size := max(n, smallestBlock)
	for _, b := range a.blocks {
		size = max(size, len(b))
	}
	a.blocks = append(a.blocks, make([]float32, size))
	a.mark.used = n
	return a.blocks[a.mark.block][:n:n]
}

// zeros returns a buffer of n zeros.
func (a *arena) zeros(n int) []float32 {
	b := a.floats(n)
	clear(b)
	return b
}

// release takes back what was handed out after m.
func (a *arena) release(m mark) { a.mark = m }

// reset takes everything back, and joins the blocks into one.
func (a *arena) reset() {
	if len(a.blocks) > 1 {
		total := 0
		for _, b := range a.blocks {
			total += len(b)
		}
		a.blocks = [][]float32{make([]float32, total)}
	}
	a.mark = mark{}
}
