package bench

import "runtime"

// heap counts what was allocated on the Go heap.
type heap struct{ count, bytes uint64 }

func allocations() heap {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return heap{m.Mallocs, m.TotalAlloc}
}

func (h heap) since(before heap) (count, bytes int64) {
	return int64(h.count - before.count), int64(h.bytes - before.bytes)
}
