package kernel

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"unsafe"
)

// A tileCall is what a product asks of a function in assembly, with places in the operands of its block.
type tileCall struct {
	Function, C, A, B                 uint32
	Ldc, Lda, Ldb, Steps, Groups      uint32
	Accumulate                        uint32
	Ahead, Apart, Skip, Lines, Beside uint32
	Shape                             tileShape
}

// recorded is the most rows times depth of a small product.
const recorded = 600

// plainTiles does in plain Go what a function of a kind, see tilesOf, and for so many panels does.
func plainTiles(kind, panels int) tilesFunc {
	return func(c, a, b *float32, ldc, lda, ldb, steps, groups, accumulate, _, _, _, _, _ int, shape *tileShape) {
		wide, high, depth := panels, int(shape[48]+shape[50]), int(shape[16+2*4])/4*steps
		if many := kind == groupsOfRows; many && (groups < 2 || high != rowsOfTiles) || !many && (high > panelWidth) != (kind == 1) || (shape[48+1] > 0) != (shape[48] > 0) {
			panic("a function for another shape")
		}
		if kind == groupsOfRows {
			high *= groups
		} else {
			wide *= groups
		}
		genericTiles(block{
			rows: high, panels: wide, depth: depth, ldc: ldc, lda: lda, ldb: ldb, accumulate: accumulate != 0,
			c: unsafe.Slice(c, (high-1)*ldc+wide*panelWidth), a: unsafe.Slice(a, (high-1)*lda+depth), b: unsafe.Slice(b, (wide-1)*ldb+depth*panelWidth),
		})
	}
}

// putTiles puts other functions in the place of those in assembly until the test ends.
func putTiles(t *testing.T, f func(kind, panels int) tilesFunc) {
	before := tilesOf
	t.Cleanup(func() { tilesOf = before })
	for kind := range tilesOf {
		for p := range tilesOf[kind] {
			tilesOf[kind][p] = f(kind, p+1)
		}
	}
}

// TestTileCalls cuts products into calls of the functions in assembly, done here in plain Go. It writes them to the file that
// PARLEY_TILE_CALLS names, for an emulator that runs the assembly (bench/amx): small ones, and one deep one of many rows.
func TestTileCalls(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	file, products := new(bytes.Buffer), uint32(0)
	for _, rows := range []int{1, 7, 16, 17, 29, 32, 35, 48, 64, 99} {
		for _, depth := range []int{1, 16, 17, 32, 53, 300} {
			panels, more := rng.IntN(3)+1, rng.IntN(2)*rng.IntN(20)
			b := block{
				rows: rows, panels: panels, depth: depth, ldc: panels*panelWidth + more, lda: depth + more, ldb: depth*panelWidth + more,
				accumulate: rng.IntN(2) == 0, linear: rng.IntN(4) == 0,
			}
			b.a, b.b, b.c = pairsForTiles(rng, (rows-1)*b.lda+depth), pairsForTiles(rng, (panels-1)*b.ldb+depth*panelWidth), normal(rng, (rows-1)*b.ldc+panels*panelWidth)
			want, got := b, b
			want.c, got.c = slices.Clone(b.c), slices.Clone(b.c)
			calls := callsOf(t, &got)
			genericTiles(want)
			sameBits(t, "tiles", got.c, want.c)
			if rows*depth > recorded && (rows != 64 || depth != 300) {
				continue
			}
			products++
			write(file, []uint32{uint32(len(b.a)), uint32(len(b.b)), uint32(len(b.c)), uint32(len(calls))}, b.a, b.b, b.c, want.c, calls)
		}
	}
	if name := os.Getenv("PARLEY_TILE_CALLS"); name != "" {
		if err := os.WriteFile(name, slices.Concat(binary.LittleEndian.AppendUint32(nil, products), file.Bytes()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// callsOf multiplies b and returns the calls.
func callsOf(t *testing.T, b *block) (calls []tileCall) {
	at := func(p *float32, in []float32) uint32 {
		return uint32((uintptr(unsafe.Pointer(p)) - uintptr(unsafe.Pointer(&in[0]))) / 4)
	}
	putTiles(t, func(kind, panels int) tilesFunc {
		plain := plainTiles(kind, panels)
		return func(c, a, w *float32, ldc, lda, ldb, steps, groups, accumulate, ahead, apart, skip, lines, beside int, shape *tileShape) {
			calls = append(calls, tileCall{
				uint32(2*kind + panels - 1), at(c, b.c), at(a, b.a), at(w, b.b), uint32(ldc), uint32(lda), uint32(ldb), uint32(steps), uint32(groups),
				uint32(accumulate), uint32(ahead), uint32(apart), uint32(skip), uint32(lines), uint32(beside), *shape,
			})
			plain(c, a, w, ldc, lda, ldb, steps, groups, accumulate, ahead, apart, skip, lines, beside, shape)
		}
	})
	multiplyTilesBlock(*b)
	return calls
}

// pairsForTiles are random pairs, some of them as small as a bfloat16 or denormal.
func pairsForTiles(rng *rand.Rand, n int) []float32 {
	words := randomPairs(rng, n)
	for range n / 50 {
		words[rng.IntN(n)] = math.Float32frombits(rng.Uint32N(1<<8)<<16 | rng.Uint32N(1<<7))
	}
	return words
}

func write(file *bytes.Buffer, parts ...any) {
	for _, p := range parts {
		if err := binary.Write(file, binary.LittleEndian, p); err != nil {
			panic(err)
		}
	}
}

// A call allocates nothing.
func TestTileCallsAllocateNothing(t *testing.T) {
	putTiles(t, func(int, int) tilesFunc {
		return func(_, _, _ *float32, _, _, _, _, _, _, _, _, _, _, _ int, _ *tileShape) {}
	})
	b := block{rows: 40, panels: 3, depth: 21, ldc: 48, lda: 21, ldb: 21 * panelWidth, a: make([]float32, 40*21), b: make([]float32, 3*21*panelWidth), c: make([]float32, 40*48)}
	if n := testing.AllocsPerRun(10, func() { multiplyTilesBlock(b) }); n > 0 {
		t.Errorf("a product allocates %v times", n)
	}
}
