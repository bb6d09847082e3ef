package kernel

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"parley/engine"
)

// TestArena: chunks that nobody uses are unmapped, others stay.
func TestArena(t *testing.T) {
	unmapped := 0
	a := &arena{}
	first, c := a.cut(arenaBytes / 2)
	first[0], first[len(first)-1] = 1, 1
	c.unmap = func() { unmapped++ }
	if _, again := a.cut(1000); again != c {
		t.Error("a second piece that fits comes from another chunk")
	}
	large, other := a.cut(2 * arenaBytes)
	large[len(large)-1] = 1
	if other == c || !c.full || unmapped != 0 {
		t.Fatal("the chunk in use was not kept and retired")
	}
	a.release(c)
	a.release(c)
	if unmapped != 1 {
		t.Error("the chunk was not unmapped with its last piece")
	}
	other.unmap()
	other.unmap = func() { unmapped++ }
	a.release(other)
	if unmapped != 1 {
		t.Error("the current chunk was unmapped")
	}
	if a.close(); unmapped != 2 {
		t.Error("close left an unused chunk")
	}
}

// TestMatrixMemoryIsGivenBack: the memory of matrices that nothing refers to returns to the arena.
func TestMatrixMemoryIsGivenBack(t *testing.T) {
	k := open(t, "", 1)
	w := normal(rand.New(rand.NewPCG(1, 1)), 256*256)
	for range 20 {
		k.PackAs(engine.BF16, 256, 256, w)
	}
	live := func() int {
		k.arena.mu.Lock()
		defer k.arena.mu.Unlock()
		return k.arena.current.live
	}
	for range 100 {
		if runtime.GC(); live() == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d matrices are still held", live())
}
