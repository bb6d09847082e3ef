package native

import "sync"

// A scratchPool has short buffers for the threads of a job. They stay with it: a sync.Pool would let them go at every collection.
type scratchPool struct {
	mu   sync.Mutex
	free []*scratch
	// What [backwardPass.nextGroup] and [scratchPool.cutKeyTiles] make.
	blockGroup []backwardBlock
	keyTiles   []keyTile
	ends       map[*segment]int
}

// A scratch is one such buffer, and memory for a list of keys.
type scratch struct {
	floats []float32
	keys   []locatedKeys
}

// get takes a buffer of n values, whatever they are.
func (l *scratchPool) get(n int) *scratch {
	b := l.take()
	if cap(b.floats) < n {
		b.floats = make([]float32, n+n/2)
	}
	b.floats = b.floats[:n]
	return b
}

// take returns the buffer that came back last, or a new one.
func (l *scratchPool) take() *scratch {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := len(l.free) - 1
	if last < 0 {
		return &scratch{}
	}
	b := l.free[last]
	l.free = l.free[:last]
	return b
}

// put gives a buffer back.
func (l *scratchPool) put(b *scratch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = append(l.free, b)
}
