//go:build linux || darwin

package wasm

import (
	"context"

	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// outsideHeap has the memories of programs come from the system, where they grow in place. In Go's heap each step of growth is a copy and
// leaves garbage, which nobody collects while a program runs.
func outsideHeap(ctx context.Context) context.Context {
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(func(_, most uint64) experimental.LinearMemory { return &mapped{most: most} }))
}

// mapped is the memory of one program: room for the most that it may have, of which the system gives what is touched.
type mapped struct {
	most uint64
	data []byte // [most], mapped at the first use
}

// Reallocate implements [experimental.LinearMemory].
func (m *mapped) Reallocate(size uint64) []byte {
	if m.data == nil && m.most > 0 {
		data, err := unix.Mmap(-1, 0, int(m.most), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
		if err != nil {
			return nil // the program cannot grow, or does not start
		}
		m.data = data
	}
	return m.data[:size]
}

// Free implements [experimental.LinearMemory].
func (m *mapped) Free() {
	if m.data != nil {
		_ = unix.Munmap(m.data) // it was mapped
		m.data = nil
	}
}
