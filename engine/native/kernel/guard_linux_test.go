package kernel

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"
)

// walled returns a copy of s that ends where memory that must not be touched begins: reading beyond it is fatal.
func walled(t *testing.T, s []float32) []float32 {
	t.Helper()
	page := syscall.Getpagesize()
	size := (4*len(s) + page - 1) / page * page
	all, err := syscall.Mmap(-1, 0, size+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(all); err != nil {
			t.Error(err)
		}
	})
	if err := syscall.Mprotect(all[size:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	w := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(all))), size/4)[size/4-len(s):]
	copy(w, s)
	return w
}

func TestNothingBeyondIsRead(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		for _, s := range [][3]int{{1, 1, 1}, {3, 17, 33}, {7, 8, 20}, {13, 40, 64}, {25, 100, 129}} {
			p := newProduct(6, s[0], s[1], s[2], true)
			want := p.run(k)
			m := k.Pack(p.out, p.in, walled(t, p.w))
			m.panels = walled(t, m.panels)
			x, dy := walled(t, p.x), walled(t, p.dy)
			got := [3][]float32{walled(t, p.y), walled(t, p.dx), walled(t, p.dw)}
			k.Mul(got[0], x, p.rows, m, true)
			k.MulT(got[1], dy, p.rows, m, true)
			k.MulGrad(got[2], dy, x, p.rows, p.out, p.in)
			sameProducts(t, "before a wall", got, want)
		}
	}, 1)
}

// walledMatrix moves the weights of m before a wall.
func walledMatrix(t *testing.T, m *Matrix) {
	switch w := m.low.(type) {
	case *bf16Panels:
		w.words = walledWords(t, w.words)
	case *int8Panels:
		w.step, w.codes = walled(t, w.step), as[byte](bytesOf(walledWords(t, as[uint32](w.codes))))
	case *nf4Panels:
		w.scale, w.codes = walled(t, w.scale), walledWords(t, w.codes)
	default:
		m.panels = walled(t, m.panels)
	}
}

func walledWords(t *testing.T, words []uint32) []uint32 {
	return as[uint32](bytesOf(walled(t, asFloats(words))))
}

// bytesOf views words of 32 bits as bytes.
func bytesOf[T float32 | uint32](words []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 4*len(words))
}

func TestNothingBeyondWeightsIsRead(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		for i, s := range [][3]int{{1, 1, 1}, {3, 17, 33}, {7, 8, 20}, {13, 40, 64}, {25, 100, 129}, {5, 48, 128}} {
			for _, f := range formats {
				p := newFormatProduct(uint64(i), f, s[0], s[1], s[2], true)
				m := k.PackAs(f, p.out, p.in, p.w)
				want := p.multiply(k, m)
				walledMatrix(t, m)
				p.x, p.dy = walled(t, p.x), walled(t, p.dy)
				sameParts(t, "before a wall", p.multiply(k, m), want)
			}
		}
	}, 1)
}

func TestNothingBeyondRowsIsRead(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		rng := rand.New(rand.NewPCG(15, 16))
		for n := 1; n < 72; n++ {
			a, b := normal(rng, n), normal(rng, n)
			sameBits(t, "before a wall", rowResults(k, walled(t, a), walled(t, b)), rowResults(k, a, b))
			for r := 1; r <= 16; r++ {
				k.TransposeRows(walled(t, make([]float32, 16*n)), walled(t, normal(rng, r*n)), n, r, n)
			}
			k.SoftmaxGrad(walled(t, a), walled(t, b), 0.5)
		}
	}, 1)
}

func TestNothingBeyondStoredIsRead(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		rng := rand.New(rand.NewPCG(3, 4))
		for _, depth := range []int{2, 6, 64, 256} {
			for panels := 1; panels <= 9; panels++ {
				words := as[uint16](bytesOf(walledWords(t, make([]uint32, depth*panels*panelWidth/2))))
				c, a := walled(t, make([]float32, 3*panels*panelWidth)), walled(t, normal(rng, 3*depth))
				k.MulStored(c, panels*panelWidth, a, depth, 3, 0, depth, Stored{BF16: words}, depth*panelWidth, panels, true)
			}
		}
	}, 1)
}
