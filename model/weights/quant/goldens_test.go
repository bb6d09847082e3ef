package quant_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/model/modeltest"
	"parley/model/weights/quant"
	"parley/model/weights/safetensors"
)

// goldens is the folder quant/ of the shared goldens, or this package's part of it.
func goldens() string {
	if dir := os.Getenv("PARLEY_GOLDENS"); dir != "" {
		return filepath.Join(dir, "quant")
	}
	return "testdata"
}

// golden is the content of quant.json that the tests need, and the arrays.
type golden struct {
	NF4 struct {
		Matrices map[string]struct{ Shape []int }
	}
	GGUF struct {
		Kinds map[string]struct{ Block struct{ Values, Bytes int } }
	}
	Arrays map[string]struct{ Shape []int }
	file   *safetensors.File
}

func openGoldens(t *testing.T) *golden {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(goldens(), "quant.json"))
	if err != nil {
		t.Fatal(err)
	}
	g := &golden{}
	if err := json.Unmarshal(text, g); err != nil {
		t.Fatal(err)
	}
	g.file, err = safetensors.Open(filepath.Join(goldens(), "quant.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.file.Close() })
	return g
}

func (g *golden) floats(t *testing.T, name string) []float32 {
	t.Helper()
	x, err := g.file.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func (g *golden) bytes(t *testing.T, name string) []byte {
	t.Helper()
	b, err := g.file.Bytes(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// same fails at the first element whose bits differ.
func same(t *testing.T, what string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, want %d", what, len(got), len(want))
	}
	for i := range got {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) && !(got[i] == 0 && want[i] == 0) {
			t.Fatalf("%s: element %d is %g, want %g", what, i, got[i], want[i])
		}
	}
}

func TestGoldensQuantBlocks(t *testing.T) {
	g := openGoldens(t)
	tested := 0
	for name := range g.Arrays {
		kind, isBytes := strings.CutSuffix(name, "bytes")
		if !isBytes || !strings.HasPrefix(name, "gguf.") {
			continue
		}
		tested++
		t.Run(name, func(t *testing.T) {
			f, ok := quant.Lookup(strings.Split(name, ".")[1])
			if !ok {
				t.Fatal("format is not known")
			}
			if b := g.GGUF.Kinds[f.Name].Block; b.Values != 0 && (b.Values != f.Values || b.Bytes != f.Bytes) {
				t.Errorf("block of %d values in %d bytes, want %+v", f.Values, f.Bytes, b)
			}
			want := g.floats(t, kind+"dequantised")
			got := make([]float32, len(want))
			f.Decode(got, g.bytes(t, name))
			same(t, name, got, want)
		})
	}
	if tested < len(g.GGUF.Kinds) || tested == 0 {
		t.Fatalf("%d arrays for %d kinds", tested, len(g.GGUF.Kinds))
	}
}

func TestGoldensQuantInt8(t *testing.T) {
	g := openGoldens(t)
	shape := g.Arrays["int8.x"].Shape
	m := quant.QuantizeInt8(shape[0], shape[1], g.floats(t, "int8.x"))
	same(t, "absmax", m.Absmax, g.floats(t, "int8.absmax"))
	for i, q := range g.bytes(t, "int8.q") {
		if m.Q[i] != int8(q) {
			t.Fatalf("q[%d] = %d, want %d", i, m.Q[i], int8(q))
		}
	}
	got := make([]float32, len(m.Q))
	modeltest.DequantizeInt8(got, m)
	same(t, "dequantised", got, g.floats(t, "int8.dequantised"))
}

func TestGoldensQuantNestedCode(t *testing.T) {
	g := openGoldens(t)
	same(t, "nested_code", quant.NestedCode, g.floats(t, "nf4.nested_code"))
}

func TestGoldensQuantNF4Decode(t *testing.T) {
	g := openGoldens(t)
	for name := range g.NF4.Matrices {
		t.Run(name, func(t *testing.T) {
			key := "nf4." + name + "."
			want := g.floats(t, key+"dequantised")
			got := make([]float32, len(want))
			m := &quant.NF4{N: len(want), Packed: g.bytes(t, key+"packed"), Scale: quant.Absmaxs{
				Q: g.bytes(t, key+"absmax_q"), Nested: g.floats(t, key+"nested_absmax"), Offset: g.floats(t, key+"offset")[0],
			}}
			modeltest.DequantizeNF4(got, m, 0)
			same(t, "double", got, want)
			m.Scale = quant.Absmaxs{Plain: g.floats(t, key+"absmax")}
			modeltest.DequantizeNF4(got, m, 0)
			same(t, "plain", got, g.floats(t, key+"dequantised_plain"))
		})
	}
}

func TestGoldensQuantNF4Encode(t *testing.T) {
	g := openGoldens(t)
	for name := range g.NF4.Matrices {
		t.Run(name, func(t *testing.T) {
			key := "nf4." + name + "."
			m := quant.QuantizeNF4(g.floats(t, key+"x"), false)
			same(t, "absmax", m.Scale.Plain, g.floats(t, key+"absmax"))
			for i, want := range g.bytes(t, key+"packed") {
				if m.Packed[i] != want {
					t.Fatalf("packed[%d] = %#02x, want %#02x", i, m.Packed[i], want)
				}
			}
			// The reference sums the mean in float32; ours is the correctly rounded one.
			offset := g.floats(t, key+"offset")[0]
			if got := quant.Mean(m.Scale.Plain); math.Abs(float64(got-offset)) > 3e-7*float64(offset) {
				t.Errorf("offset %g, want %g", got, offset)
			}
			d := quant.AbsmaxesAround(m.Scale.Plain, offset)
			same(t, "nested", d.Nested, g.floats(t, key+"nested_absmax"))
			for i, want := range g.bytes(t, key+"absmax_q") {
				if d.Q[i] != want {
					t.Errorf("absmax_q[%d] = %d, want %d", i, d.Q[i], want)
				}
			}
		})
	}
}
