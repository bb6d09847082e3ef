package kernel

import (
	"syscall"
	"unsafe"
)

// hugePage is the size of the pages that a long stream of weights is read from at full speed: with ordinary ones the
// processor spends up to half of its time on addresses.
const hugePage = 2 << 20

// askPages returns zeroed memory outside the Go heap, in huge pages if the system has them, and what gives it back; false: the
// system refuses.
func askPages(size int) (mem []byte, unmap func(), ok bool) {
	all, err := syscall.Mmap(-1, 0, size+hugePage, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, nil, false
	}
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(all)))) & (hugePage - 1)
	mem = all[skip:][:size]
	if whole := mem[:size&^(hugePage-1)]; len(whole) > 0 {
		_ = syscall.Madvise(whole, syscall.MADV_HUGEPAGE) // advice: without it ordinary pages do
	}
	return mem, func() { _ = syscall.Munmap(all) }, true // mapped here, so that it cannot fail
}

// dropPages gives the whole pages of a part of such memory back to the system. What is read there afterwards is zero.
func dropPages(mem []byte) {
	page := syscall.Getpagesize()
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(mem)))) & (page - 1)
	if n := (len(mem) - skip) &^ (page - 1); n > 0 {
		_ = syscall.Madvise(mem[skip:][:n], syscall.MADV_DONTNEED) // advice: without it the memory is given back with its neighbours
	}
}
