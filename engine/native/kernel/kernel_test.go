package kernel

import (
	"cmp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestNew(t *testing.T) {
	for _, name := range Available() {
		k := open(t, name, 3)
		if k.Name() != name || k.Threads() != 3 {
			t.Errorf("New(%q, 3) is %q on %d threads", name, k.Name(), k.Threads())
		}
	}
	if rounded, best := open(t, "generic", 1), open(t, "", 1); rounded.Kind() != "rounded" || best.Kind() != kindOf(best.Name()) {
		t.Errorf("generic is of kind %q, %s of kind %q", rounded.Kind(), best.Name(), best.Kind())
	}
	k := open(t, "", 0)
	if best := Available()[len(Available())-1]; k.Name() != best || k.Threads() != runtime.GOMAXPROCS(0) {
		t.Errorf("the default is %q on %d threads, want %q on %d", k.Name(), k.Threads(), best, runtime.GOMAXPROCS(0))
	}
}

func kindOf(set string) string {
	switch set {
	case "generic":
		return "rounded"
	case "amx":
		return "tiles"
	}
	return "fused"
}

func TestNewRefuses(t *testing.T) {
	type refusal struct {
		name    string
		threads int
		want    string
	}
	cases := []refusal{
		{"sse", 1, `unknown kernel set "sse": use one of generic`},
		{"generic", -1, "-1 threads"},
	}
	for _, name := range setNames {
		if slices.Contains(Available(), name) {
			continue
		}
		want := "needs instructions that this processor lacks"
		if name == "amx" {
			want = cmp.Or(Refused(), want)
		}
		cases = append(cases, refusal{name, 1, want + ": use one of generic"})
	}
	for _, c := range cases {
		k, err := New(c.name, c.threads)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("New(%q, %d) = %v, %v, want an error with %q", c.name, c.threads, k, err, c.want)
		}
	}
}

func TestAvailableBeginsWithGeneric(t *testing.T) {
	if names := Available(); names[0] != "generic" {
		t.Errorf("Available() is %v", names)
	}
}

func TestPackPads(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		for _, s := range [][2]int{{1, 1}, {16, 8}, {16, 9}, {17, 24}, {40, 31}, {3, 64}} {
			out, in := s[0], s[1]
			w := make([]float32, out*in)
			for i := range w {
				w[i] = float32(i + 1)
			}
			m := k.Pack(out, in, make([]float32, out*in))
			k.Repack(m, w)
			for o := range panelsOf(out) * panelWidth {
				for i := range in {
					want := float32(0)
					if o < out {
						want = w[o*in+i]
					}
					if got := m.panel(o / panelWidth)[i*panelWidth+o%panelWidth]; got != want {
						t.Fatalf("%v: packed weight [%d, %d] is %g, want %g", s, o, i, got, want)
					}
				}
			}
		}
	}, 1)
}

func TestShortOperandsPanic(t *testing.T) {
	k := open(t, "", 1)
	s := func(n int) []float32 { return make([]float32, n) }
	w := k.Pack(4, 3, s(12))
	for name, f := range map[string]func(){
		"y of Mul":               func() { k.Mul(s(7), s(6), 2, w, false) },
		"x of Mul":               func() { k.Mul(s(8), s(5), 2, w, false) },
		"dx of MulT":             func() { k.MulT(s(5), s(8), 2, w, false) },
		"dy of MulT":             func() { k.MulT(s(6), s(7), 2, w, false) },
		"dw of MulGrad":          func() { k.MulGrad(s(11), s(8), s(6), 2, 4, 3) },
		"x of MulGrad":           func() { k.MulGrad(s(12), s(8), s(5), 2, 4, 3) },
		"w of Repack":            func() { k.Repack(w, s(11)) },
		"shape of Pack":          func() { k.Pack(-1, 3, nil) },
		"w of RMSNorm":           func() { k.RMSNorm(s(4), s(4), s(3)[:3:3], 0) },
		"up of SwiGLU":           func() { k.SwiGLU(s(4), s(4), s(3)[:3:3]) },
		"sin of Rope":            func() { k.Rope(s(8), s(4), s(3)[:3:3]) },
		"rows of TransposeRows":  func() { k.TransposeRows(s(16*4), s(15), 6, 3, 4) },
		"panel of TransposeRows": func() { k.TransposeRows(s(3*16+2), s(12), 4, 3, 4) },
		"c of MulPanels":         func() { k.MulPanels(s(31), 16, s(6), 3, 2, 3, s(48), 48, 1, false) },
		"a of MulPanels":         func() { k.MulPanels(s(32), 16, s(5), 3, 2, 3, s(48), 48, 1, false) },
		"b of MulPanels":         func() { k.MulPanels(s(64), 32, s(6), 3, 2, 3, s(95), 48, 2, false) },
		"c of OuterPanels":       func() { k.OuterPanels(s(47), 32, s(6), 2, 2, 3, s(96), 32, 2) },
		"b of OuterPanels":       func() { k.OuterPanels(s(64), 32, s(6), 2, 2, 3, s(79), 32, 2) },
		"p of SoftmaxGrad":       func() { k.SoftmaxGrad(s(4), s(3)[:3:3], 0) },
		"b of Dot":               func() { k.Dot(s(4), s(3)[:3:3]) },
		"g of AdamW":             func() { k.AdamW(s(4), s(4), s(4), s(3)[:3:3], AdamStep{}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}
