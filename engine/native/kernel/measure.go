package kernel

import (
	"sync"
	"time"
	"unsafe"

	"parley/engine"
)

const (
	measureTime  = 20 * time.Millisecond // of one run
	measureRuns  = 5                     // of which the best counts: others may hold the processor for a while
	peakSteps    = 1 << 12
	readBlock    = 256
	readAtOnce   = 1 << 10 // blocks
	genericLanes = 8
)

// ReadBytes is the memory that [Kernels.ReadRate] reads: much more than any cache keeps.
const ReadBytes = 256 << 20

// Peak measures how many floating-point operations a second the threads of the pool do at most together, in GFLOP/s: float32
// multiply-adds, and those of bfloat16 as this set's products do them. Nothing is read from memory.
func (k *Kernels) Peak() (f32, bf16 float64) {
	return k.rate(k.set.peak) / 1e9, k.rate(k.set.lowOf(lowFewRows+1).peak) / 1e9
}

// PeakOver is what [Kernels.Peak] measures for a base of a format, but once and over a time: as much as the machine lets go on.
func (k *Kernels) PeakOver(f engine.Format, d time.Duration) float64 {
	step := k.set.peak
	if f != engine.F32 {
		step = k.set.lowOf(lowFewRows + 1).peak
	}
	return k.once(counting(step), d) / 1e9
}

// ReadRate measures how many bytes a second the threads of the pool read at most together from memory, as a product of one row
// reads its weights.
func (k *Kernels) ReadRate() float64 {
	mem, unmap := mapPages(ReadBytes)
	defer unmap()
	for i := 0; i < len(mem); i += 4096 {
		mem[i] = 1
	}
	share := len(mem) / k.Threads() / (readBlock * readAtOnce) * (readBlock * readAtOnce)
	return k.best(func(thread int, _ func() bool) int {
		for at := thread * share; at < (thread+1)*share; at += readBlock * readAtOnce {
			k.set.read(mem[at:][:readBlock*readAtOnce])
		}
		return share
	})
}

// rate is how much of what step counts is done a second.
func (k *Kernels) rate(step func(n int) int) float64 { return k.best(counting(step)) }

// counting repeats step and adds up what it counts.
func counting(step func(n int) int) work {
	return func(_ int, again func() bool) int {
		done := 0
		for again() {
			done += step(peakSteps)
		}
		return done
	}
}

// work is what one thread does until again says no, and counts.
type work func(thread int, again func() bool) int

// best runs work several times, and returns the highest rate of what it counts.
func (k *Kernels) best(w work) float64 {
	best := 0.0
	for range measureRuns {
		best = max(best, k.once(w, measureTime))
	}
	return best
}

// once runs work on as many goroutines as the pool has threads, and returns the rate of what it counts.
func (k *Kernels) once(w work, d time.Duration) float64 {
	var wait sync.WaitGroup
	done := make([]int, k.Threads())
	start := time.Now()
	for i := range done {
		wait.Go(func() { done[i] = w(i, func() bool { return time.Since(start) < d }) })
	}
	wait.Wait()
	seconds, sum := time.Since(start).Seconds(), 0
	for _, n := range done {
		sum += n
	}
	return float64(sum) / seconds
}

// genericPeak is n steps of as many chains of multiply-adds as a processor's registers hold.
func genericPeak(n int) int {
	var c [genericLanes]float32
	for range n {
		for j := range c {
			c[j] = mulAdd(c[j], 0.5, 1)
		}
	}
	sink(c[0])
	return 2 * n * genericLanes
}

// genericRead reads whole words.
func genericRead(mem []byte) {
	sum := uint64(0)
	for _, w := range unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(mem))), len(mem)/8) {
		sum ^= w
	}
	sink(float32(sum))
}

// sink keeps a compiler from leaving out what makes v.
//
//go:noinline
func sink(v float32) float32 { return v }
