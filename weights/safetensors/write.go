package safetensors

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"sort"

	"parley/weights/half"
)

// An Output is one tensor to be written. Its DType is F32, or BF16 or F16 to round Data to nearest, ties to even.
type Output struct {
	Tensor
	Data []float32
}

// Write writes a file as one step: whoever opens path sees the old file or the whole new one, also after a crash. The bytes
// depend on nothing but the arguments; the order of tensors does not matter.
func Write(path string, tensors []Output, metadata map[string]string) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer os.Remove(tmp.Name()) // fails after the rename, which is right
	err = Encode(tmp, tensors, metadata)
	if err == nil {
		err = tmp.Sync()
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Chmod(tmp.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	syncFolder(filepath.Dir(path))
	return nil
}

// syncFolder makes a rename survive a power cut. Not every system can sync a folder; the file is complete either way.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
}

// Encode writes the bytes of a file to w.
func Encode(w io.Writer, tensors []Output, metadata map[string]string) error {
	sorted := append([]Output(nil), tensors...)
	// Wide types first, so that every tensor is aligned to its element.
	sort.Slice(sorted, func(i, j int) bool {
		a, b := sorted[i], sorted[j]
		if sa, sb := dtypes[a.DType].size, dtypes[b.DType].size; sa != sb {
			return sa > sb
		}
		return a.Name < b.Name
	})
	header, err := makeHeader(sorted, metadata)
	if err != nil {
		return err
	}
	buf := bufio.NewWriterSize(w, 1<<16)
	buf.Write(header)
	for _, t := range sorted {
		narrow(buf, t.Data, t.DType)
	}
	return buf.Flush() // a bufio.Writer keeps its first error
}

// makeHeader is the length and the JSON text, padded with spaces so that the data begin at a multiple of 8.
func makeHeader(sorted []Output, metadata map[string]string) ([]byte, error) {
	var b bytes.Buffer
	b.Write(make([]byte, 8))
	b.WriteByte('{')
	if len(metadata) > 0 {
		writeJSON(&b, metadataKey, metadata)
	}
	at, seen := 0, map[string]bool{metadataKey: true}
	for _, t := range sorted {
		if err := checkOutput(t, seen); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", t.Name, err)
		}
		seen[t.Name] = true
		end := at + len(t.Data)*dtypes[t.DType].size
		writeJSON(&b, t.Name, struct {
			DType   string `json:"dtype"`
			Shape   []int  `json:"shape"`
			Offsets [2]int `json:"data_offsets"`
		}{t.DType, append([]int{}, t.Shape...), [2]int{at, end}})
		at = end
	}
	b.WriteByte('}')
	for b.Len()%8 != 0 {
		b.WriteByte(' ')
	}
	binary.LittleEndian.PutUint64(b.Bytes(), uint64(b.Len()-8))
	return b.Bytes(), nil
}

func checkOutput(t Output, seen map[string]bool) error {
	if seen[t.Name] {
		return fmt.Errorf("name occurs twice or is reserved")
	}
	if t.DType != "F32" && t.DType != "BF16" && t.DType != "F16" {
		return fmt.Errorf("cannot write dtype %q; use F32, BF16 or F16", t.DType)
	}
	if len(t.Data) != t.Elements() {
		return fmt.Errorf("shape %v needs %d elements, not %d", t.Shape, t.Elements(), len(t.Data))
	}
	return nil
}

// writeJSON appends one member to the object in b.
func writeJSON(b *bytes.Buffer, key string, value any) {
	if b.Bytes()[b.Len()-1] != '{' {
		b.WriteByte(',')
	}
	k, _ := json.Marshal(key) // strings, maps of strings and plain structs always marshal
	v, _ := json.Marshal(value)
	b.Write(k)
	b.WriteByte(':')
	b.Write(v)
}

// narrow writes data as elements of dtype.
func narrow(w *bufio.Writer, data []float32, dtype string) {
	var b [4]byte
	for _, f := range data {
		switch dtype {
		case "F32":
			binary.LittleEndian.PutUint32(b[:], math.Float32bits(f))
			w.Write(b[:4])
		case "BF16":
			binary.LittleEndian.PutUint16(b[:], half.ToBF16(f))
			w.Write(b[:2])
		case "F16":
			binary.LittleEndian.PutUint16(b[:], half.ToF16(f))
			w.Write(b[:2])
		}
	}
}
