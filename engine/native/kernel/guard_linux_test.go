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

func TestNothingBeyondRowsIsRead(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		rng := rand.New(rand.NewPCG(15, 16))
		for n := 1; n < 40; n++ {
			a, b := normal(rng, n), normal(rng, n)
			sameBits(t, "before a wall", rowResults(k, walled(t, a), walled(t, b)), rowResults(k, a, b))
			for r := 1; r <= 16; r++ {
				k.TurnRows(walled(t, make([]float32, 16*n)), walled(t, normal(rng, r*n)), n, r, n)
			}
			k.SoftmaxGrad(walled(t, a), walled(t, b), 0.5)
		}
	}, 1)
}
