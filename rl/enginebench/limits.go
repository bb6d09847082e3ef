package bench

import (
	"runtime"
	"time"

	"parley/engine"
	"parley/engine/native/kernel"
)

// Limits are what the processor can do at best, measured in the same process before the work: a virtual machine is not the same
// from hour to hour. Shares of the peak are of what is measured beside each run ([Row]), shares of reading of ReadGBs.
type Limits struct {
	F32GFLOPs  float64 `json:"f32_gflops_per_second"`  // multiply-adds in registers, all threads
	BF16GFLOPs float64 `json:"bf16_gflops_per_second"` // the same with the instruction that multiplies bfloat16
	ReadGBs    float64 `json:"read_gb_per_second"`     // reading memory in one stream a thread
	// Scaling is the arithmetic of all threads over that of as many times one thread: 1 on a machine that does nothing else.
	Scaling float64 `json:"scaling"`
}

// peakOf measures what products with weights of a format are bounded by.
func peakOf(k *kernel.Kernels, f engine.Format) func(time.Duration) float64 {
	return func(d time.Duration) float64 { return k.PeakOver(f, d) }
}

// Busy reports that the threads disturb each other: something else is running.
func (l Limits) Busy() bool { return l.Scaling > 0 && l.Scaling < 0.9 }

// Machine names the kernel set and the number of threads that an engine with these options has, and measures the limits.
func Machine(o engine.Options) (kernels string, threads int, l Limits, err error) {
	k, err := kernel.New(o.Kernels, o.Threads)
	if err != nil {
		return "", 0, l, err
	}
	defer k.Close()
	if err := requireMemory(o, kernel.ReadBytes, "to measure how fast memory is read takes %s, and %s are free: stop other programs, or give this one more"); err != nil {
		return "", 0, l, err
	}
	l.F32GFLOPs, l.BF16GFLOPs = k.Peak()
	l.ReadGBs = k.ReadRate() / 1e9
	l.Scaling, err = scaling(o, k.Threads(), l.F32GFLOPs)
	return k.Name(), k.Threads(), l, err
}

// scaling compares the peak of several threads with that of one.
func scaling(o engine.Options, threads int, together float64) (float64, error) {
	one, err := kernel.New(o.Kernels, 1)
	if err != nil {
		return 0, err
	}
	defer one.Close()
	alone, _ := one.Peak()
	return together / (float64(threads) * alone), nil
}

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
