package pipe

import (
	"bytes"
	"math"
	"slices"
	"testing"
)

// TestFrames: what is written is read.
func TestFrames(t *testing.T) {
	numbers, tokens := []float32{1, -2.5, float32(math.Inf(1))}, []int{0, -1, 1 << 30}
	var b bytes.Buffer
	if err := writeFrame(&b, map[string]any{"id": 3}, []Tensor{Floats("a", numbers, 3, 1), Ints("b", tokens), Floats("none", nil)}); err != nil {
		t.Fatal(err)
	}
	f, err := readFrame(&b)
	if err != nil || b.Len() != 0 {
		t.Fatalf("%d bytes are left, %v", b.Len(), err)
	}
	a, err1 := f.Floats("a", 3)
	got, err2 := f.Ints("b", -1)
	none, err3 := f.Floats("none", 0)
	if err1 != nil || err2 != nil || err3 != nil || !slices.Equal(a, numbers) || !slices.Equal(got, tokens) || len(none) != 0 || f.Len("a") != 3 || f.Len("c") != 0 {
		t.Errorf("%v %v %v, %v %v %v", a, got, none, err1, err2, err3)
	}
}

// FuzzFrame: whatever comes, a frame is refused or can be written again with the same data.
func FuzzFrame(f *testing.F) {
	var b bytes.Buffer
	if err := writeFrame(&b, map[string]any{"id": 3}, []Tensor{Floats("a", []float32{1, 2}, 2, 1), Ints("b", []int{7})}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("\x02\x00\x00\x00{}"))
	f.Add([]byte("\x3b\x00\x00\x00{\"tensors\":[{\"name\":\"x\",\"dtype\":\"f32\",\"shape\":[99,99]}]}"))
	f.Add([]byte("\xff\xff\xff\x7f"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := readFrame(bytes.NewReader(data))
		if err != nil {
			return
		}
		var list []Tensor
		for name, x := range got.tensors {
			if n, err := x.bytes(); err != nil || n != len(x.data) || x.Name != name {
				t.Fatalf("tensor %q has %d bytes for %v: %v", name, len(x.data), x.Shape, err)
			}
			list = append(list, x)
		}
		var again bytes.Buffer
		if err := writeFrame(&again, map[string]any{}, list); err != nil {
			t.Fatal(err)
		}
		same, err := readFrame(&again)
		if err != nil || len(same.tensors) != len(got.tensors) {
			t.Fatalf("%d tensors, written and read %d: %v", len(got.tensors), len(same.tensors), err)
		}
		for name, x := range got.tensors {
			if !bytes.Equal(same.tensors[name].data, x.data) {
				t.Fatalf("tensor %q is other data", name)
			}
		}
	})
}
