// Package seed derives independent random streams from one root seed.
//
// parley has no global random generator. Every random choice (which problems an update takes, each sample, each shuffle)
// has its own stream, and the stream is a function of the run's seed and of what the choice is: its purpose and its indices.
// So no generator state has to be saved to resume a run, and a choice does not depend on the order in which choices are made.
package seed

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
)

// Derive returns the seed of the stream for purpose and indices under root.
func Derive(root uint64, purpose string, indices ...int) uint64 {
	h := fnv.New64a()
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], root)
	h.Write(b[:])
	h.Write([]byte(purpose))
	for _, i := range indices {
		binary.LittleEndian.PutUint64(b[:], uint64(int64(i)))
		h.Write(b[:])
	}
	return mix(h.Sum64())
}

// Stream returns a generator for a derived seed.
func Stream(s uint64) *rand.Rand { return rand.New(rand.NewPCG(State(s))) }

// State is what [Stream] begins with, for programs in other languages that draw the same numbers.
func State(s uint64) (high, low uint64) { return s, mix(s) }

// mix is the finaliser of SplitMix64: FNV alone leaves neighbouring indices with similar high bits.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
