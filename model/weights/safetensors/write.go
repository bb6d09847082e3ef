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

	"parley/model/weights/quant"
)

// An Output is one tensor to be written. Its DType is F32, or BF16 or F16 to round Data to nearest, ties to even.
type Output struct {
	Tensor
	Data []float32
}

// Write writes a file as one step: path is the old file or the whole new one at any time, also after a crash. The bytes
// depend on nothing but the arguments; the order of tensors does not matter.
func Write(path string, tensors []Output, metadata map[string]string) error {
	return writeFile(path, func(w io.Writer) error { return Encode(w, tensors, metadata) })
}

// WriteFrom is [Write] of tensors that are read one after another, so that one is in memory at a time. read fills dst with
// the elements of a tensor.
func WriteFrom(path string, tensors []Tensor, metadata map[string]string, read func(name string, dst []float32) error) error {
	parts := make([]part, len(tensors))
	for i, t := range tensors {
		parts[i] = part{t, func() ([]float32, error) {
			data := make([]float32, t.Elements())
			return data, read(t.Name, data)
		}}
	}
	return writeFile(path, func(w io.Writer) error { return encode(w, parts, metadata) })
}

func writeFile(path string, write func(w io.Writer) error) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer os.Remove(tmp.Name()) // fails after the rename, which is right
	err = write(tmp)
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
		_ = d.Sync()
		d.Close()
	}
}

// Encode writes the bytes of a file to w.
func Encode(w io.Writer, tensors []Output, metadata map[string]string) error {
	parts := make([]part, len(tensors))
	for i, t := range tensors {
		if len(t.Data) != t.Elements() {
			return fmt.Errorf("tensor %q: shape %v needs %d elements, not %d", t.Name, t.Shape, t.Elements(), len(t.Data))
		}
		parts[i] = part{t.Tensor, func() ([]float32, error) { return t.Data, nil }}
	}
	return encode(w, parts, metadata)
}

// A part is one tensor on its way into a file.
type part struct {
	Tensor
	data func() ([]float32, error)
}

func encode(w io.Writer, parts []part, metadata map[string]string) error {
	// Wide types first, so that every tensor is aligned to its element.
	sort.Slice(parts, func(i, j int) bool {
		a, b := parts[i], parts[j]
		if sa, sb := dtypes[a.DType].size, dtypes[b.DType].size; sa != sb {
			return sa > sb
		}
		return a.Name < b.Name
	})
	header, err := makeHeader(parts, metadata)
	if err != nil {
		return err
	}
	buf := bufio.NewWriterSize(w, 1<<16)
	_, _ = buf.Write(header) // a bufio.Writer keeps its first error for Flush
	for _, p := range parts {
		data, err := p.data()
		if err != nil {
			return fmt.Errorf("tensor %q: %w", p.Name, err)
		}
		narrow(buf, data, p.DType)
	}
	return buf.Flush() // a bufio.Writer keeps its first error
}

// makeHeader is the length and the JSON text, padded with spaces so that the data begin at a multiple of 8.
func makeHeader(parts []part, metadata map[string]string) ([]byte, error) {
	var b bytes.Buffer
	b.Write(make([]byte, 8))
	b.WriteByte('{')
	if len(metadata) > 0 {
		writeJSON(&b, metadataKey, metadata)
	}
	at, seen := 0, map[string]bool{metadataKey: true}
	for _, t := range parts {
		if seen[t.Name] {
			return nil, fmt.Errorf("tensor %q: name occurs twice or is reserved", t.Name)
		}
		if t.DType != "F32" && t.DType != "BF16" && t.DType != "F16" {
			return nil, fmt.Errorf("tensor %q: cannot write dtype %q; use F32, BF16 or F16", t.Name, t.DType)
		}
		seen[t.Name] = true
		end := at + t.Elements()*dtypes[t.DType].size
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

// narrow writes data as elements of dtype. An error is kept for Flush.
func narrow(w *bufio.Writer, data []float32, dtype string) {
	var b [4]byte
	for _, f := range data {
		switch dtype {
		case "F32":
			binary.LittleEndian.PutUint32(b[:], math.Float32bits(f))
			_, _ = w.Write(b[:4])
		case "BF16":
			binary.LittleEndian.PutUint16(b[:], quant.ToBF16(f))
			_, _ = w.Write(b[:2])
		case "F16":
			binary.LittleEndian.PutUint16(b[:], quant.ToF16(f))
			_, _ = w.Write(b[:2])
		}
	}
}
