package weights

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"
	"sort"
	"strings"

	"parley/internal/plainfile"
	"parley/model/weights/quant"
	"parley/model/weights/safetensors"
)

// GGUF is an open .gguf file, llama.cpp's single-file form of a checkpoint. As a [Source] it speaks the Hugging Face
// language: names and shapes are translated, rows of q and k projections that are stored in another order are put back, and so
// are norms that are stored with 1 added.
type GGUF struct {
	name     string // for error messages
	file     *safetensors.Mapped
	metadata map[string]any
	config   []byte
	tensors  []Tensor              // sorted by Hugging Face name
	stored   map[string]ggufTensor // by Hugging Face name
}

// ggufTensor is where a tensor is and how it is stored.
type ggufTensor struct {
	Tensor
	format quant.Format
	data   []byte
	heads  int  // above 0: rows are stored pair by pair within each of so many heads
	less   bool // 1 has to be taken off every value
}

// OpenGGUF opens the file at path.
func OpenGGUF(path string) (*GGUF, error) {
	m, err := safetensors.Map(path)
	if err != nil {
		return nil, fmt.Errorf("open checkpoint: %w", err)
	}
	g, err := ParseGGUF(path, m.Data)
	if err != nil {
		m.Close()
		return nil, err
	}
	g.file = m
	return g, nil
}

// GGUFMetadata reads what the file at path says about itself, and nothing else: it need not hold tensors, or a model that is
// known. See [GGUF.Metadata].
func GGUFMetadata(path string) (map[string]any, error) {
	m, err := safetensors.Map(path)
	if err != nil {
		return nil, fmt.Errorf("open checkpoint: %w", err)
	}
	r := &ggufReader{data: m.Data}
	r.checkVersion()
	r.count("tensors", 24)
	meta := r.metadata(r.count("metadata pairs", 13))
	if r.err != nil {
		r.err = fmt.Errorf("open checkpoint %s: %w", path, explainGGUF(m.Data, r.err))
	}
	return meta, errors.Join(r.err, m.Close())
}

// ParseGGUF reads the head of a GGUF file that is in memory. The result keeps data; name is used in errors.
func ParseGGUF(name string, data []byte) (*GGUF, error) {
	g := &GGUF{name: name, file: &safetensors.Mapped{Data: data}, stored: map[string]ggufTensor{}}
	if err := plainfile.Check(name, data); err != nil {
		return nil, fmt.Errorf("open checkpoint: %w", err)
	}
	if err := g.parse(data); err != nil {
		return nil, fmt.Errorf("open checkpoint %s: %w", name, explainGGUF(data, err))
	}
	return g, nil
}

// explainGGUF is err with what the file is, where it is no GGUF file.
func explainGGUF(data []byte, err error) error {
	if bytes.HasPrefix(data, []byte("GGUF")) {
		return err
	}
	if len(data) > 9 && data[8] == '{' {
		return errors.New("it is a safetensors file: put it in a folder beside its config.json, as model.safetensors, and name the folder as the model")
	}
	return plainfile.Explain(data, err)
}

// checkWhole refuses a part of a model that was split into several files.
func checkWhole(meta map[string]any) error {
	parts, _ := wholeNumber(meta["split.count"])
	if parts <= 1 {
		return nil
	}
	part, _ := wholeNumber(meta["split.no"])
	return fmt.Errorf("the file is part %d of %d of a GGUF file: join them with `llama-gguf-split --merge FIRST-PART JOINED.gguf`, or get a file that is not split", part+1, parts)
}

func (g *GGUF) parse(data []byte) error {
	r := &ggufReader{data: data}
	r.checkVersion()
	tensors := r.count("tensors", 24)
	g.metadata = r.metadata(r.count("metadata pairs", 13))
	if r.err == nil {
		r.err = checkWhole(g.metadata)
	}
	infos := r.tensorInfos(tensors)
	if r.err != nil {
		return r.err
	}
	alignment, err := ggufAlignment(g.metadata)
	if err != nil {
		return err
	}
	start := roundUp(uint64(r.at), alignment)
	if err := checkRanges(infos, start, alignment, uint64(len(data))); err != nil {
		return err
	}
	model, err := newGGUFModel(g.metadata, infos)
	if err != nil {
		return err
	}
	for _, info := range infos {
		if err := g.add(model, info, data[start+info.offset:][:info.size]); err != nil {
			return fmt.Errorf("tensor %q: %w", info.name, err)
		}
	}
	sort.Slice(g.tensors, func(i, j int) bool { return g.tensors[i].Name < g.tensors[j].Name })
	g.config, err = model.config()
	return err
}

// add files one tensor under its Hugging Face name.
func (g *GGUF) add(model *ggufModel, info ggufInfo, data []byte) error {
	if taken, err := model.takeFactors(info, data); taken || err != nil {
		return err
	}
	name, heads, err := model.translate(info)
	if err != nil {
		return err
	}
	if _, twice := g.stored[name]; twice {
		return fmt.Errorf("occurs twice")
	}
	t := Tensor{Name: name, Shape: info.shape, DType: info.format.Name}
	g.tensors = append(g.tensors, t)
	g.stored[name] = ggufTensor{Tensor: t, format: info.format, data: data, heads: heads, less: model.plusOne && strings.HasSuffix(name, "norm.weight")}
	return nil
}

// Metadata is everything the file says about itself, by key. Numbers have the Go type that corresponds to the stored one,
// arrays are slices of it ([]string, []int32, ...). It must not be changed.
func (g *GGUF) Metadata() map[string]any { return g.metadata }

// Config is a config.json made from the metadata.
func (g *GGUF) Config() []byte { return g.config }

// Tensors lists the tensors by Hugging Face name.
func (g *GGUF) Tensors() []Tensor { return g.tensors }

// Float32 dequantises a whole tensor into dst.
func (g *GGUF) Float32(name string, dst []float32) error {
	t, err := g.lookup(name)
	if err != nil {
		return err
	}
	if len(dst) != t.Elements() {
		return fmt.Errorf("%s: tensor %q has shape %v, %d elements, not %d", g.name, name, t.Shape, t.Elements(), len(dst))
	}
	t.decode(0, dst)
	return nil
}

// Rows implements [RowReader].
func (g *GGUF) Rows(name string, from int, dst []float32) error {
	t, err := g.lookup(name)
	if err != nil {
		return err
	}
	rows := t.rows()
	width := t.Elements() / max(1, rows)
	if from < 0 || width == 0 || len(dst)%width != 0 || from*width+len(dst) > t.Elements() {
		return fmt.Errorf("%s: tensor %q has shape %v: %d values from row %d on are not rows of it", g.name, name, t.Shape, len(dst), from)
	}
	t.decode(from, dst)
	return nil
}

// rows is the first dimension; a scalar is one row.
func (t *ggufTensor) rows() int {
	if len(t.Shape) == 0 {
		return 1
	}
	return t.Shape[0]
}

func (g *GGUF) lookup(name string) (ggufTensor, error) {
	t, ok := g.stored[name]
	if !ok {
		return t, fmt.Errorf("%s: no tensor %q", g.name, name)
	}
	if g.file.Data == nil {
		return t, fmt.Errorf("%s: is closed", g.name)
	}
	return t, nil
}

// decode dequantises rows from row from on, as Hugging Face has their values.
func (t *ggufTensor) decode(from int, dst []float32) {
	t.decodeRows(from, dst)
	if t.less {
		for i := range dst {
			dst[i]--
		}
	}
}

// decodeRows dequantises rows from row from on. Rows of q and k projections are put back: in each head of d rows, rows i and i+d/2,
// the two coordinates that one angle rotates, are the file's rows 2i and 2i+1. A bias is such a matrix with one column.
func (t *ggufTensor) decodeRows(from int, dst []float32) {
	if len(dst) == t.Elements() && t.heads == 0 {
		t.format.Decode(dst, t.data)
		return
	}
	rows := t.rows()
	width, size := t.Elements()/rows, len(t.data)/rows
	if t.heads == 0 {
		t.format.Decode(dst, t.data[from*size:from*size+len(dst)/width*size])
		return
	}
	d := rows / t.heads
	for n := range len(dst) / width {
		head, i := (from+n)/d, (from+n)%d
		r := head*d + i%(d/2)*2 + i/(d/2)
		t.format.Decode(dst[n*width:(n+1)*width], t.data[r*size:(r+1)*size])
	}
}

// Forget implements [Forgetter].
func (g *GGUF) Forget() { g.file.Forget() }

// Close releases the file.
func (g *GGUF) Close() error { return g.file.Close() }

// roundUp is the least multiple of alignment, a power of two, that is not below n.
func roundUp(n, alignment uint64) uint64 { return (n + alignment - 1) &^ (alignment - 1) }

// ggufAlignment is what tensors are aligned to.
func ggufAlignment(meta map[string]any) (uint64, error) {
	const key = "general.alignment"
	v, ok := meta[key]
	if !ok {
		return 32, nil
	}
	a, ok := v.(uint32)
	if !ok || bits.OnesCount32(a) != 1 || a > 1<<20 {
		return 0, fmt.Errorf("metadata key %q: %v is no alignment; a power of two is", key, v)
	}
	return uint64(a), nil
}
