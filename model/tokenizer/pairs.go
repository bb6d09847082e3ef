package tokenizer

import "math/bits"

// A pairTable maps pairs of token ids to the rank of their merge and the token that it makes: an open hash table with
// linear probing.
type pairTable struct {
	slots []pairSlot
	shift uint
}

type pairSlot struct {
	key        uint64 // left<<32|right
	rank, into int32  // into -1: the slot is free
}

// noMerge is above every rank.
const noMerge = 1<<31 - 1

// newPairTable returns a table for n pairs, at most two thirds full.
func newPairTable(n int) pairTable {
	log := bits.Len(uint(n + n/2 + 1))
	t := pairTable{slots: make([]pairSlot, 1<<log), shift: uint(64 - log)}
	for i := range t.slots {
		t.slots[i].into = -1
	}
	return t
}

// slot returns where a pair is or would be.
func (t *pairTable) slot(left, right int32) *pairSlot {
	key := uint64(uint32(left))<<32 | uint64(uint32(right))
	mask := uint64(len(t.slots) - 1)
	for i := key * 0x9E3779B97F4A7C15 >> t.shift; ; i = (i + 1) & mask {
		if s := &t.slots[i]; s.key == key || s.into < 0 {
			return s
		}
	}
}

// put adds a pair; of equal pairs the last counts.
func (t *pairTable) put(left, right, rank, into int32) {
	s := t.slot(left, right)
	s.key, s.rank, s.into = uint64(uint32(left))<<32|uint64(uint32(right)), rank, into
}

// get returns the rank of a pair and the token that it makes; noMerge where it is not merged.
func (t *pairTable) get(left, right int32) (rank, into int32) {
	if s := t.slot(left, right); s.into >= 0 {
		return s.rank, s.into
	}
	return noMerge, -1
}
