package gguf

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"parley/model/weights"
	"parley/model/weights/quant"
)

// TestMetadata: values of every type are read back as they were.
func TestMetadata(t *testing.T) {
	want := map[string]any{
		"general.architecture": "llama", "a": uint8(1), "b": int8(-2), "c": uint16(3), "d": int16(-4), "e": uint32(5), "f": int32(-6), "g": float32(7.5),
		"h": true, "i": "é\n", "j": uint64(1 << 40), "k": int64(-1 << 40), "l": 0.1,
		"m": []string{"", "x"}, "n": []int32{-1, 2}, "o": []float32{0.5}, "p": []bool{false, true}, "q": []uint8{}, "r": []any{[]int32{1}, []int32{}},
		"s": []int8{-1}, "t": []uint16{2}, "u": []int16{-3}, "v": []uint32{4}, "w": []uint64{5}, "x": []int64{-6}, "y": []float64{1.5},
	}
	path := filepath.Join(t.TempDir(), "a.gguf")
	if err := (&File{Metadata: want}).Write(path); err != nil {
		t.Fatal(err)
	}
	if got, err := weights.GGUFMetadata(path); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v %v", got, err)
	}
	var b bytes.Buffer
	if err := (&File{Metadata: want}).encode(&b); err != nil || !bytes.Contains(b.Bytes()[:60], []byte("general.architecture")) {
		t.Errorf("the architecture does not come first: %v", err)
	}
}

// TestWriteFaults: what cannot be written is an error that says why, and leaves no file; a file that is there stays.
func TestWriteFaults(t *testing.T) {
	tensor := func(kind string, value float32, shape ...int) Tensor {
		return Tensor{"w", shape, kind, func(dst []float32) error {
			for i := range dst {
				dst[i] = value
			}
			return nil
		}}
	}
	nan := float32(math.NaN())
	for name, c := range map[string]struct {
		file File
		want string
	}{
		"a type":    {File{Tensors: []Tensor{tensor("Q4_0", 1, 32)}}, "Q4_0"},
		"a row":     {File{Tensors: []Tensor{tensor("Q8_0", 1, 2, 33)}}, "Q8_0"},
		"a scalar":  {File{Tensors: []Tensor{tensor("F32", 1)}}, "shape"},
		"damage":    {File{Tensors: []Tensor{tensor("F32", nan, 4)}}, "damaged"},
		"too large": {File{Tensors: []Tensor{tensor("F16", 1e6, 4)}}, "beyond the range of F16"},
		"a scale":   {File{Tensors: []Tensor{tensor("Q8_0", 1e7, 32)}}, "beyond the range of Q8_0"},
		"unread":    {File{Tensors: []Tensor{{"w", []int{4}, "F32", func([]float32) error { return errors.New("gone") }}}}, "tensor w: gone"},
		"metadata":  {File{Metadata: map[string]any{"a": struct{}{}}}, "struct"},
	} {
		path := filepath.Join(t.TempDir(), "a.gguf")
		if err := c.file.Write(path); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v does not say %s", name, err, c.want)
		}
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("%s: half a file is there: %v", name, err)
		}
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := c.file.Write(path); !os.IsExist(err) {
			t.Errorf("%s: over a file that is there: %v", name, err)
		}
	}
}

// full is a disk with room for so many bytes.
type full int

func (f *full) Write(p []byte) (int, error) {
	if *f -= full(len(p)); *f < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(p), nil
}

// TestFullDisk: an error of the disk is returned, wherever it comes.
func TestFullDisk(t *testing.T) {
	zeros := func([]float32) error { return nil }
	f := File{Metadata: map[string]any{"a": "b"}, Tensors: []Tensor{{"w", []int{1 << 19}, "F32", zeros}, {"v", []int{1 << 19}, "F32", zeros}}}
	whole := 1<<22 + 256
	for _, room := range []int{0, 1 << 20, 1 << 21, 3 << 20, whole} {
		disk := full(room)
		if err := f.encode(&disk); (err == nil) != (room == whole) {
			t.Errorf("with room for %d bytes: %v", room, err)
		}
	}
}

// TestEncode: values come back as near as their type has them.
func TestEncode(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	x := make([]float32, 32*64)
	for i := range x {
		x[i] = float32(random.NormFloat64() * math.Pow(10, float64(i/32%7)-3))
	}
	clear(x[32:64])
	for kind, e := range encodings {
		b, err := encode(x, kind)
		if err != nil {
			t.Fatal(err)
		}
		format, ok := quant.Lookup(kind)
		if !ok || format.Values != e.values || format.Bytes != e.bytes {
			t.Errorf("%s has blocks of %d values in %d bytes, want %+v", kind, e.values, e.bytes, format)
		}
		back := make([]float32, len(x))
		format.Decode(back, b)
		for i := range x {
			if d := math.Abs(float64(back[i] - x[i])); d > tolerance(kind, x[i/32*32:][:32], x[i]) {
				t.Fatalf("%s: %g became %g", kind, x[i], back[i])
			}
		}
	}
}

// tolerance is how far a value of a block may be off.
func tolerance(kind string, block []float32, v float32) float64 {
	most := 0.0
	for _, v := range block {
		most = math.Max(most, math.Abs(float64(v)))
	}
	switch own := math.Abs(float64(v)); kind {
	case "F16":
		return own/2048 + 3e-8
	case "BF16":
		return own / 256
	case "Q8_0":
		return most/254 + most/2048 + 127*3e-8 // the step is an F16
	}
	return 0
}

// TestQ8Rounding: halves are rounded away from zero, as in ggml.
func TestQ8Rounding(t *testing.T) {
	x := make([]float32, 32)
	x[0], x[1], x[2], x[3] = 127, 0.5, -1.5, 2.4
	b, err := encode(x, "Q8_0")
	if err != nil || !reflect.DeepEqual(b[:6], []byte{0, 0x3c, 127, 1, 0xfe, 2}) {
		t.Errorf("% x %v", b[:6], err)
	}
}
