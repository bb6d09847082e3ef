package safetensors

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/model/weights/quant"
)

// raw is a file with the given header text and data.
func raw(header string, data ...byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

func TestParseReadsEveryType(t *testing.T) {
	for _, c := range []struct {
		dtype string
		data  []byte
		want  float32
	}{
		{"F32", []byte{0, 0, 0x80, 0xbf}, -1},
		{"F16", []byte{0, 0x3c}, 1},
		{"BF16", []byte{0, 0x40}, 2},
		{"F64", []byte{0, 0, 0, 0, 0, 0, 0xf8, 0x3f}, 1.5},
		{"I64", []byte{0xfe, 255, 255, 255, 255, 255, 255, 255}, -2},
		{"U64", []byte{7, 0, 0, 0, 0, 0, 0, 0}, 7},
		{"I32", []byte{0xff, 255, 255, 255}, -1},
		{"U32", []byte{0, 0, 1, 0}, 65536},
		{"I16", []byte{0xff, 255}, -1},
		{"U16", []byte{0xff, 255}, 65535},
		{"I8", []byte{0x80}, -128},
		{"U8", []byte{0x80}, 128},
		{"BOOL", []byte{1}, 1},
	} {
		text := fmt.Sprintf(`{"x":{"dtype":%q,"shape":[1],"data_offsets":[0,%d]}}  `, c.dtype, len(c.data))
		f, err := Parse("f", raw(text, c.data...))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := f.Read("x"); err != nil || got[0] != c.want {
			t.Errorf("%s: %v %v, want %v", c.dtype, got, err, c.want)
		}
	}
}

// hostile are files that must be refused, with words that the error must have.
var hostile = []struct {
	name string
	file []byte
	want string
}{
	{"empty", nil, "is empty"},
	{"huge header", append(binary.LittleEndian.AppendUint64(nil, 100<<20+1), '{'), "limit"},
	{"length overflows", append(binary.LittleEndian.AppendUint64(nil, math.MaxUint64), '{'), "limit"},
	{"header truncated", binary.LittleEndian.AppendUint64(nil, 10), "truncated"},
	{"not JSON", raw(`{"a"`), "header"},
	{"not an object", raw(`[1]`), "object"},
	{"text after", raw(`{} {}`), "after"},
	{"data truncated", raw(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 0, 0, 0, 0), `tensor "a"`},
	{"range far outside", raw(`{"a":{"dtype":"U8","shape":[4000000000],"data_offsets":[0,4000000000]}}`, 1), `tensor "a"`},
	{"overlap", raw(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}`, 1, 2, 3), "overlap"},
	{"same range", raw(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1), "overlap"},
	{"hole", raw(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, 1, 2), "no tensor"},
	{"tail", raw(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1, 2), "no tensor"},
	{"size and shape differ", raw(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,1]}}`, 1), "takes 4 bytes"},
	{"backwards", raw(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}}`, 1), "no range"},
	{"negative", raw(`{"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}}`, 1), `tensor "a"`},
	{"shape overflows", raw(`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`), "overflows"},
	{"shape overflows to fit", raw(`{"a":{"dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,0]}}`), "overflows"},
	{"twice", raw(`{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}`), "twice"},
	{"dtype unknown", raw(`{"a":{"dtype":"F3","shape":[0],"data_offsets":[0,0]}}`), `dtype "F3"`},
	{"no shape", raw(`{"a":{"dtype":"U8","data_offsets":[0,0]}}`), "needs shape"},
	{"three offsets", raw(`{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0,0]}}`), "needs shape"},
	{"metadata not strings", raw(`{"__metadata__":{"a":1}}`), "__metadata__"},
	{"deep nesting", raw(`{"a":` + strings.Repeat("[", 100000)), "header"},
}

func TestParseRefuses(t *testing.T) {
	for _, c := range hostile {
		_, err := Parse("evil.safetensors", c.file)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "evil.safetensors") {
			t.Errorf("%s: error %v, want %q and the file's name", c.name, err, c.want)
		}
	}
}

func TestFloat32Refuses(t *testing.T) {
	f, err := Parse("f", raw(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}`, 1, 2))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Float32("a", make([]float32, 3)); err == nil || !strings.Contains(err.Error(), `"a"`) {
		t.Errorf("wrong length: %v", err)
	}
	if _, err := f.Read("b"); err == nil || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("unknown name: %v", err)
	}
	f.Close()
	if _, err := f.Read("a"); err == nil {
		t.Error("read after Close")
	}
}

// rounded is x as it comes back from a file of dtype.
func rounded(x float32, dtype string) float32 {
	switch dtype {
	case "BF16":
		return quant.FromBF16(quant.ToBF16(x))
	case "F16":
		return quant.FromF16(quant.ToF16(x))
	}
	return x
}

func drawOutputs(t *rapid.T) []Output {
	names := rapid.SliceOfNDistinct(rapid.StringN(1, 8, -1), 0, 6, rapid.ID[string]).Draw(t, "names")
	var out []Output
	for _, name := range names {
		if name == metadataKey || strings.ToValidUTF8(name, "") != name {
			continue
		}
		shape := rapid.SliceOfN(rapid.IntRange(0, 4), 0, 3).Draw(t, "shape")
		o := Output{Tensor: Tensor{Name: name, Shape: shape, DType: rapid.SampledFrom([]string{"F32", "BF16", "F16"}).Draw(t, "dtype")}}
		n := o.Elements()
		o.Data = rapid.SliceOfN(rapid.Float32(), n, n).Draw(t, "data")
		out = append(out, o)
	}
	return out
}

func TestWriteRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f.safetensors")
	rapid.Check(t, func(t *rapid.T) {
		tensors := drawOutputs(t)
		metadata := rapid.MapOfN(rapid.StringMatching(`[a-z<&]{1,4}`), rapid.StringMatching(`[ -~é]*`), 0, 3).Draw(t, "metadata")
		if err := Write(path, tensors, metadata); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if len(f.Tensors()) != len(tensors) || fmt.Sprint(f.Metadata) != fmt.Sprint(metadata) {
			t.Fatalf("got %v %v", f.Tensors(), f.Metadata)
		}
		for _, want := range tensors {
			got, err := f.Read(want.Name)
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range want.Data {
				if math.Float32bits(got[i]) != math.Float32bits(rounded(x, want.DType)) {
					t.Fatalf("%q[%d] = %g, want %g", want.Name, i, got[i], rounded(x, want.DType))
				}
			}
		}
	})
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("temporary files are left: %v", left)
	}
}

func TestEncodeDoesNotDependOnOrder(t *testing.T) {
	a := Output{Tensor{"a", []int{1}, "BF16"}, []float32{1}}
	b := Output{Tensor{"b", []int{1}, "F32"}, []float32{2}}
	var one, two bytes.Buffer
	if err := Encode(&one, []Output{a, b}, map[string]string{"x": "1", "y": "2"}); err != nil {
		t.Fatal(err)
	}
	if err := Encode(&two, []Output{b, a}, map[string]string{"y": "2", "x": "1"}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("bytes differ")
	}
}

func TestWriteRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	ok := Output{Tensor{"a", []int{1}, "F32"}, []float32{1}}
	for name, tensors := range map[string][]Output{
		"twice":       {ok, ok},
		"reserved":    {{Tensor{metadataKey, []int{1}, "F32"}, []float32{1}}},
		"wrong dtype": {{Tensor{"a", []int{1}, "I8"}, []float32{1}}},
		"wrong shape": {{Tensor{"a", []int{2}, "F32"}, []float32{1}}},
	} {
		if err := Write(path, tensors, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if old, _ := os.ReadFile(path); string(old) != "old" {
		t.Errorf("a failed write changed the file to %q", old)
	}
	if err := Write(filepath.Join(path, "none", "f"), []Output{ok}, nil); err == nil {
		t.Error("wrote into a folder that is not there")
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range hostile {
		if len(c.file) < 1000 {
			f.Add(c.file)
		}
	}
	f.Add(raw(`{"__metadata__":{"k":"v"},"a":{"dtype":"BF16","shape":[1,2],"data_offsets":[0,4]}}`, 1, 2, 3, 4))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse("f", data)
		if err != nil {
			return
		}
		total := 0
		for _, tensor := range file.Tensors() {
			x, err := file.Read(tensor.Name)
			if err != nil || len(x) != tensor.Elements() {
				t.Fatalf("%v: %d elements, %v", tensor, len(x), err)
			}
			total += len(x)
		}
		if total > len(data) {
			t.Fatalf("%d elements from %d bytes", total, len(data))
		}
	})
}
