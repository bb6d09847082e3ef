package kernel

import (
	"runtime"
	"unsafe"
)

// streams is the memory that large streams are cut from. Streams of one model are a few MiB at most: one after another they lie
// in huge pages, which each of them alone would not fill.
var streams arena

// A Stream is memory for keys and values, which are read one after another: large ones lie outside the Go heap, in huge pages
// if the system has them. It is given back by Free, or when nothing refers to the Stream any more: who works on what is stored
// must keep the Stream alive.
type Stream struct {
	Stored
	free func()
}

// NewStream returns n zeros in bfloat16 or float32; n is even.
func NewStream(n int, bf16 bool) *Stream {
	size := 4 * n
	if bf16 {
		size = 2 * n
	}
	if size < arenaLeast {
		words := make([]uint32, size/4)
		return &Stream{store(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), size), bf16), func() {}}
	}
	mem, from := streams.cut(size)
	s := &Stream{Stored: store(mem, bf16)}
	giveBack := func(mem []byte) {
		dropPages(mem)
		streams.release(from)
	}
	cleanup := runtime.AddCleanup(s, giveBack, mem)
	s.free = func() {
		cleanup.Stop()
		giveBack(mem)
	}
	return s
}

// store views memory as words of a kind.
func store(mem []byte, bf16 bool) Stored {
	if bf16 {
		return Stored{BF16: as[uint16](mem)}
	}
	return Stored{F32: as[float32](mem)}
}

// Free gives the memory back. What is stored must not be used any more.
func (s *Stream) Free() {
	s.free()
	s.Stored, s.free = Stored{}, func() {}
}
