package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"sort"
)

// maxHeader is the format's own limit: a larger header is an attack on the parser's memory.
const maxHeader = 100 << 20

// The largest checkpoints have some ten thousand tensors in a file, with names of under 100 bytes and up to 5 dimensions.
const (
	maxTensors = 1 << 17
	maxName    = 1 << 10
	maxDims    = 16
)

// metadataKey is the header entry that is no tensor.
const metadataKey = "__metadata__"

// split cuts a file into header and data.
func split(data []byte) (header, body []byte, err error) {
	if len(data) < 8 {
		return nil, nil, fmt.Errorf("%d bytes are too few for a safetensors file", len(data))
	}
	n := binary.LittleEndian.Uint64(data)
	if n > maxHeader {
		return nil, nil, fmt.Errorf("safetensors header of %d bytes is over the limit of %d", n, maxHeader)
	}
	if n > uint64(len(data)-8) {
		return nil, nil, fmt.Errorf("truncated: safetensors header of %d bytes in a file of %d", n, len(data))
	}
	return data[8 : 8+n], data[8+n:], nil
}

// parseHeader reads the JSON object by hand at its top level, because names that occur twice would silently win over each
// other otherwise.
func parseHeader(header []byte) (entries []entry, metadata map[string]string, err error) {
	if n := bytes.Count(header, []byte(`"data_offsets"`)); n > maxTensors {
		return nil, nil, fmt.Errorf("%d tensors are more than the %d that a file can have", n, maxTensors)
	}
	dec := json.NewDecoder(bytes.NewReader(header))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil, nil, errors.New("not a JSON object")
	}
	seen := map[string]bool{}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return nil, nil, err
		}
		name := tok.(string) // keys of objects are strings, the decoder sees to that
		if len(name) > maxName {
			return nil, nil, fmt.Errorf("a name has %d bytes, more than %d", len(name), maxName)
		}
		if len(seen) > maxTensors { // written otherwise than as the count above looks for
			return nil, nil, fmt.Errorf("there are more than the %d tensors that a file can have", maxTensors)
		}
		if seen[name] {
			return nil, nil, fmt.Errorf("name %q occurs twice", name)
		}
		seen[name] = true
		if name == metadataKey {
			if err := dec.Decode(&metadata); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", name, err)
			}
			continue
		}
		e, err := parseEntry(dec, name)
		if err != nil {
			return nil, nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		entries = append(entries, e)
	}
	if _, err := dec.Token(); err != nil {
		return nil, nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, nil, errors.New("text after the JSON object")
	}
	return entries, metadata, nil
}

// parseEntry reads one tensor's description and checks that its range fits its type and shape.
func parseEntry(dec *json.Decoder, name string) (entry, error) {
	var j struct {
		DType       string    `json:"dtype"`
		Shape       []uint64  `json:"shape"`
		DataOffsets *[]uint64 `json:"data_offsets"`
	}
	if err := dec.Decode(&j); err != nil {
		return entry{}, err
	}
	dtype, ok := dtypes[j.DType]
	if !ok {
		return entry{}, fmt.Errorf("dtype %q is not supported; convert the checkpoint to BF16, F16 or F32", j.DType)
	}
	if j.Shape == nil || j.DataOffsets == nil || len(*j.DataOffsets) != 2 {
		return entry{}, errors.New("needs shape and data_offsets [begin, end]")
	}
	if len(j.Shape) > maxDims {
		return entry{}, fmt.Errorf("it has %d dimensions, more than %d", len(j.Shape), maxDims)
	}
	size, shape, err := byteSize(dtype.size, j.Shape)
	if err != nil {
		return entry{}, err
	}
	begin, end := (*j.DataOffsets)[0], (*j.DataOffsets)[1]
	if begin > end || end > math.MaxInt {
		return entry{}, fmt.Errorf("data_offsets [%d, %d] are no range", begin, end)
	}
	if end-begin != size {
		return entry{}, fmt.Errorf("%s with shape %v takes %d bytes, but data_offsets [%d, %d] hold %d",
			j.DType, j.Shape, size, begin, end, end-begin)
	}
	return entry{Tensor: Tensor{Name: name, Shape: shape, DType: j.DType}, begin: int(begin), end: int(end)}, nil
}

// byteSize is elem times the product of the shape, or an error where that overflows.
func byteSize(elem int, dims []uint64) (uint64, []int, error) {
	size, shape := uint64(elem), make([]int, len(dims))
	for i, d := range dims {
		hi, lo := bits.Mul64(size, d)
		if hi != 0 || lo > math.MaxInt || d > math.MaxInt {
			return 0, nil, fmt.Errorf("shape %v overflows", dims)
		}
		size, shape[i] = lo, int(d)
	}
	return size, shape, nil
}

// checkLayout checks that the tensors tile the data: one that overlaps another could be changed behind its back, and bytes
// that belong to nobody can hide anything.
func checkLayout(entries []entry, size int) error {
	sort.Slice(entries, func(i, j int) bool {
		a, b := entries[i], entries[j]
		return a.begin < b.begin || a.begin == b.begin && a.end < b.end
	})
	at, last := 0, ""
	for _, e := range entries {
		switch {
		case e.end > size:
			return fmt.Errorf("tensor %q: data_offsets [%d, %d] are outside the %d bytes of data (truncated file?)", e.Name, e.begin, e.end, size)
		case e.begin < at:
			return fmt.Errorf("tensor %q: data_offsets [%d, %d] overlap tensor %q", e.Name, e.begin, e.end, last)
		case e.begin > at:
			return fmt.Errorf("tensor %q: %d bytes before it belong to no tensor", e.Name, e.begin-at)
		}
		at, last = e.end, e.Name
	}
	if at != size {
		return fmt.Errorf("%d bytes after the last tensor belong to no tensor", size-at)
	}
	return nil
}
