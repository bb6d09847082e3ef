// Package kernel is the arithmetic of the embedded engine: matrix products and the row-wise functions of a transformer, forward
// and backward, in float32, with frozen weights in float32, bfloat16, int8 or nf4.
//
// Start at [New]: it binds a kernel set to a fixed pool of threads. A set is one way of computing the same functions:
//
//	generic     plain Go, every platform
//	neon        NEON assembly, arm64
//	avx2        AVX2 and FMA assembly, amd64
//	avx512      the same bits as avx2, with 512-bit matrix tiles and functions made of e^x
//	avx512bf16  the same bits as avx512, with the instruction for pairs of bfloat16 (and those of VBMI)
//	amx         avx512, and products with weights of low precision by the tiles of AMX, which have bits of their own
//
// amx is there where the system lets a process use the tiles, and they add in the order that Intel documents: it is tried at start.
//
// # Invariance
//
// A result never depends on how the work was cut. Every element of a product is one chain of multiply-adds over ascending
// depth, held in one float32 from start to end:
//
//	acc = 0 or y;  for k = 0, 1, ...: acc = a[k]·b[k] + acc;  y = acc
//
// so row r of y has the same bits with 1 row or 512, at any position, on any number of threads, and a sum that is continued in
// a second call has the bits of one call. Sums within a row (dot products, norms, log-sum-exp) put element i into lane i mod 16
// and add the lanes in one fixed tree: they depend on the values and the length alone. Log-sum-exp does so in blocks of 1024,
// which it joins in order, so that a row of logits need not be in memory as a whole.
//
// avx2, avx512 and neon fuse each multiply-add and agree bit for bit: one numeric kind, "fused". generic rounds the product first and
// is a kind of its own, "rounded", the same on every platform. So is amx, "tiles", which differs from "fused" in low precision alone.
//
// # Low precision
//
// A product with weights that are not float32 is a product of bfloat16 operands that sums in float32: both sides are rounded to
// the nearest bfloat16, ties to even, and depth is taken in pairs, the odd element first, as VDPBF16PS does:
//
//	for k = 0, 2, ...: acc = a[k+1]·b[k+1] + acc;  acc = a[k]·b[k] + acc
//
// Denormal numbers count as zero, wherever they occur, but for the sums of [Kernels.OuterPairs], which only VDPBF16PS takes so. Products of two bfloat16 are exact in float32, so all sets give the same
// bits, but for amx. Its tiles take 16 pairs at a time, in two chains from zero, as TDPBF16PS does:
//
//	for k = 0, 2, ..., 30: even = a[k]·b[k] + even;  odd = a[k+1]·b[k+1] + odd
//	acc = acc + (even + odd)
//
// A sum that is continued in a second call has the bits of one call where the first ends at a multiple of 32.
//
// bf16 weights are multiplied as they are, nf4 weights as their values rounded to bfloat16, int8 weights as their integers,
// which bfloat16 holds exactly: the step of an output multiplies its sum (in MulT, the element of dy before it is rounded).
//
// Over such weights the operands of attention are bfloat16 too. Its chains go along keys and values in their order, one element after the other
// (stored.go), so that it does not matter where a sequence is cut.
//
// # Where things are
//
// matrix.go has the packed layout of weights, arena.go their memory; bf16.go, int8.go and nf4.go have that of low precision, and low.go says how it is
// multiplied. product.go, lhs.go, depthblocks.go and grid.go are the cache blocking of products, prefetch.go and prefetchpacing.go what they prefetch, mul.go, mulsmall.go, grad.go and smallm.go the products themselves. threadpool.go has
// the threads, rows.go, softmax.go and logsum.go the row-wise functions, attend.go and stored.go the products of attention, stream.go the
// memory of keys and values, measure.go the rates to compare with. generic_*.go is the plain Go set and the
// best place to read what a function computes. The assembly is written by the program in gen.
package kernel

//go:generate go run ./gen

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"parley/engine"
)

// Kernels is a kernel set bound to a pool of threads. Its methods may be called from several goroutines at once; only one
// of them has the pool at a time, the others compute on their own goroutine.
type Kernels struct {
	set   set
	name  string
	pool  *threadPool
	arena arena // of the matrices
}

// New returns the kernel set called name on a pool of the given number of threads, the caller's included. The name "" takes
// the best set of this processor, threads 0 takes GOMAXPROCS. The caller must Close it.
func New(name string, threads int) (*Kernels, error) {
	available := Available()
	if name == "" {
		name = available[len(available)-1]
	}
	if !slices.Contains(setNames, name) {
		return nil, fmt.Errorf("unknown kernel set %q: use one of %s", name, strings.Join(available, ", "))
	}
	if name == "amx" && amxRefusal != "" {
		return nil, fmt.Errorf("kernel set %q: %s: use one of %s", name, amxRefusal, strings.Join(available, ", "))
	}
	if !slices.Contains(available, name) {
		return nil, fmt.Errorf("kernel set %q needs instructions that this processor lacks: use one of %s", name, strings.Join(available, ", "))
	}
	if threads < 0 {
		return nil, fmt.Errorf("%d threads for the kernels: use 0 for all processors, or at least 1", threads)
	}
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return &Kernels{set: sets()[name], name: name, pool: newThreadPool(threads)}, nil
}

// setNames are all sets of all platforms, worst first.
var setNames = engine.KernelSets()

// Available returns the names of the sets that this processor can run, worst first. It always has "generic".
func Available() []string {
	have := sets()
	var names []string
	for _, name := range setNames {
		if _, ok := have[name]; ok {
			names = append(names, name)
		}
	}
	return names
}

// Slow says why a set that nobody chose by name is plain Go: what this processor lacks for assembly. Empty: it has what a set needs, or the set
// has a name.
func Slow(name string) string {
	if name != "" || len(Available()) > 1 {
		return ""
	}
	why := "there is no assembly for " + runtime.GOARCH
	if runtime.GOARCH == "amd64" {
		why = "this processor lacks AVX2 and FMA"
	}
	return why + ": plain Go computes, which is much slower"
}

// amxRefusal says why amx is not available though the processor has it; sets finds out.
var amxRefusal string

// Refused says why the set amx is not available on a processor that has it: the system may not let a process use it. It is empty
// where there is nothing to say.
func Refused() string {
	sets()
	return amxRefusal
}

// Name returns the name of the set in use.
func (k *Kernels) Name() string { return k.name }

// Kind names the numeric kind: sets of one kind give the same bits.
func (k *Kernels) Kind() string {
	switch {
	case k.name == "generic":
		return "rounded"
	case k.set.low.tiles != nil:
		return "tiles"
	}
	return "fused"
}

// Threads returns the size of the pool, the calling goroutine included.
func (k *Kernels) Threads() int { return k.pool.threads() }

// Close stops the threads of the pool. The kernels still work afterwards, on the calling goroutine alone.
func (k *Kernels) Close() {
	k.pool.close()
	k.arena.close()
}

// Run calls f(0), ..., f(n-1), each once, spread over the pool in any order, and returns when all are done. Where f calls Run,
// the inner calls stay on its own thread.
func (k *Kernels) Run(n int, f func(i int)) { k.pool.run(n, f) }

// NewFloats returns n zeros and what gives their memory back. Large ones lie outside the Go heap, in huge pages where the system
// has them, and take memory only as they are written to.
func NewFloats(n int) (x []float32, free func()) {
	if 4*n < arenaLeast {
		return make([]float32, n), func() {}
	}
	mem, unmap := mapPages(4 * n)
	return as[float32](mem), unmap
}

// AskFloats is NewFloats for more than is needed: the system may refuse, as where the addresses of a process are limited.
func AskFloats(n int) (x []float32, free func(), ok bool) {
	mem, unmap, ok := askPages(4 * n)
	return as[float32](mem), unmap, ok
}

// mapPages is askPages that gets ordinary memory where the system refuses.
func mapPages(size int) (mem []byte, unmap func()) {
	if mem, unmap, ok := askPages(size); ok {
		return mem, unmap
	}
	return make([]byte, size), func() {}
}
