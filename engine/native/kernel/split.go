package kernel

import "sync/atomic"

// A split is a range of indices still to be claimed.
type split struct {
	_    [64]byte
	word atomic.Uint64 // next<<32 | end
	_    [64]byte
}

func (s *split) set(next, end int) { s.word.Store(uint64(next)<<32 | uint64(end)) }

// claim takes a quarter of what is left, at least one index: few claims, and small ones at the end. None left: lo == hi.
func (s *split) claim() (lo, hi int) {
	for {
		word := s.word.Load()
		next, end := int(word>>32), int(uint32(word))
		if next >= end {
			return 0, 0
		}
		to := next + (end-next+3)/4
		if s.word.CompareAndSwap(word, uint64(to)<<32|uint64(end)) {
			return next, to
		}
	}
}
