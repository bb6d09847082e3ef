package kernel

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/engine"
)

// multiplyCut computes the same as multiply in consecutive pieces of rows.
func (p formatProduct) multiplyCut(k *Kernels, m *Matrix, cuts []int) [2][]float32 {
	y, dx := slices.Clone(p.y), slices.Clone(p.dx)
	lo := 0
	for _, hi := range append(cuts, p.rows) {
		k.Mul(y[lo*p.out:hi*p.out], p.x[lo*p.in:hi*p.in], hi-lo, m, p.accumulate)
		k.MulT(dx[lo*p.in:hi*p.in], p.dy[lo*p.out:hi*p.out], hi-lo, m, p.accumulate)
		lo = hi
	}
	return [2][]float32{y, dx}
}

// TestFormatsDoNotDependOnBatch: a row alone has the bits that it has among others, through every path of the blocking.
func TestFormatsDoNotDependOnBatch(t *testing.T) {
	eachSet(t, func(t *testing.T, k *Kernels) {
		width := 48
		if k.Kind() == "tiles" {
			width = 64 // MulTColumns wants multiples of 32
		}
		for i, s := range [][3]int{{14, 33, 17}, {17, 96, 128}, {40, 40, 1920}, {130, 130, 64}} {
			for _, f := range formats {
				p := newFormatProduct(uint64(i), f, s[0], s[1], s[2], i%2 == 0)
				m := k.PackAs(f, p.out, p.in, p.w)
				whole := p.multiply(k, m)
				sameParts(t, fmt.Sprint(f, s), whole, p.multiplyCut(k, m, everyRow(p.rows)))
				if !p.accumulate {
					sameParts(t, fmt.Sprint(f, s, " in columns"), whole, p.multiplyInColumns(k, m, width))
				}
			}
		}
	}, 1, 3)
}

// TestAnyCutOfFormats: any shape, cut anywhere, on any set and number of threads.
func TestAnyCutOfFormats(t *testing.T) {
	for _, name := range testSets() {
		one, many := open(t, name, 1), open(t, name, 3)
		rapid.Check(t, func(t *rapid.T) {
			rows := rapid.IntRange(1, 60).Draw(t, "rows")
			p := newFormatProduct(rapid.Uint64().Draw(t, "seed"), rapid.SampledFrom(formats).Draw(t, "format"), rows,
				rapid.IntRange(1, 150).Draw(t, "out"), rapid.IntRange(1, 200).Draw(t, "in"), rapid.Bool().Draw(t, "accumulate"))
			cuts := rapid.SliceOfN(rapid.IntRange(0, rows), 0, 4).Draw(t, "cuts")
			slices.Sort(cuts)
			m := one.PackAs(p.format, p.out, p.in, p.w)
			sameParts(t, name, p.multiply(many, m), p.multiplyCut(one, m, cuts))
		})
	}
}

func FuzzFormats(f *testing.F) {
	for i := range 4 {
		f.Add(uint64(i), uint8(i), uint16(1), uint16(1), uint16(1), true)
		f.Add(uint64(i), uint8(i), uint16(9), uint16(33), uint16(128), false)
		f.Add(uint64(i), uint8(i), uint16(5), uint16(0), uint16(3), false)
		f.Add(uint64(i), uint8(i), uint16(5), uint16(3), uint16(0), true)
		f.Add(uint64(i), uint8(i), uint16(0), uint16(3), uint16(70), true)
		f.Add(uint64(i), uint8(i), uint16(35), uint16(85), uint16(0), true)
		f.Add(uint64(i), uint8(i), uint16(35), uint16(0), uint16(290), false)
	}
	f.Fuzz(func(t *testing.T, seed uint64, format uint8, rows, out, in uint16, accumulate bool) {
		p := newFormatProduct(seed, formats[format%4], int(rows%40), int(out%300), int(in%400), accumulate)
		plain := open(t, "generic", 1)
		want := p.multiply(plain, plain.PackAs(p.format, p.out, p.in, p.w))
		for _, name := range testSets()[1:] {
			k := open(t, name, 2)
			m := k.PackAs(p.format, p.out, p.in, p.w)
			got := p.multiply(k, m)
			sameParts(t, name+" row by row", got, p.multiplyCut(k, m, everyRow(p.rows)))
			if p.format != engine.F32 && k.Kind() != "tiles" {
				sameParts(t, name, got, want)
			}
			k.Close()
		}
	})
}
