// Package weights opens checkpoints: the named tensors of a language model and its config.json.
//
// Two forms are read: a folder in Hugging Face layout (config.json beside model.safetensors, or beside the shards that
// model.safetensors.index.json lists), and a single .gguf file. Both come out as one [Source] in the words of the
// first: Hugging Face tensor names, shapes and row order, everything widened or dequantised to float32.
//
// Nothing in a checkpoint is trusted. Sizes, counts, ranges and names are checked before they are used, and errors name
// the file and the tensor.
package weights

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"parley/model/weights/safetensors"
)

// A Tensor describes one tensor of a checkpoint: its Hugging Face name, its shape and how its elements are stored.
type Tensor = safetensors.Tensor

// A Source is an open checkpoint.
type Source interface {
	// Config is config.json; for a GGUF file, one made from its metadata.
	Config() []byte
	// Tensors lists what there is, sorted by name.
	Tensors() []Tensor
	// Float32 reads a whole tensor, dequantised, into dst. The length of dst is the product of the tensor's shape.
	Float32(name string, dst []float32) error
	// Close releases the files.
	Close() error
}

// maxConfig bounds the small JSON files of a checkpoint: config.json and the index of shards.
const maxConfig = 64 << 20

// Open opens a folder in Hugging Face layout or a .gguf file. Files are mapped into memory where the system can do that.
func Open(name string) (Source, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("open checkpoint: %w", err)
	}
	if info.IsDir() {
		return openFolder(diskFolder(name), name)
	}
	if !strings.HasSuffix(strings.ToLower(name), ".gguf") {
		return nil, otherFile(name)
	}
	return OpenGGUF(name)
}

// OpenFS is [Open] for a folder or .gguf file of a file system such as an embedded one. Files are read whole.
func OpenFS(fsys fs.FS, dir string) (Source, error) {
	info, err := fs.Stat(fsys, dir)
	if err != nil {
		return nil, fmt.Errorf("open checkpoint: %w", err)
	}
	if info.IsDir() {
		return openFolder(fsFolder{fsys, dir}, dir)
	}
	data, err := fs.ReadFile(fsys, dir)
	if err != nil {
		return nil, fmt.Errorf("open checkpoint: %w", err)
	}
	return ParseGGUF(dir, data)
}

// place is where the files of a checkpoint are. Names have no path separators.
type place interface {
	open(name string) (*safetensors.Mapped, error)
	names() []string // of what is in it; nil: that cannot be read
}

// diskFolder is a folder of the operating system.
type diskFolder string

func (d diskFolder) open(name string) (*safetensors.Mapped, error) {
	return safetensors.Map(string(d) + string(os.PathSeparator) + name)
}

func (d diskFolder) names() []string {
	entries, _ := os.ReadDir(string(d))
	return namesOf(entries)
}

func namesOf(entries []fs.DirEntry) []string {
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// fsFolder is a folder of an fs.FS.
type fsFolder struct {
	fsys fs.FS
	dir  string
}

func (d fsFolder) open(name string) (*safetensors.Mapped, error) {
	data, err := fs.ReadFile(d.fsys, path.Join(d.dir, name))
	if err != nil {
		return nil, err
	}
	return &safetensors.Mapped{Data: data}, nil
}

func (d fsFolder) names() []string {
	entries, _ := fs.ReadDir(d.fsys, d.dir)
	return namesOf(entries)
}

// A RowReader is a [Source] that can read some rows of a tensor, so that a large one goes by piece by piece.
type RowReader interface {
	// Rows reads whole rows from row from on into dst; a row is what the first dimension counts.
	Rows(name string, from int, dst []float32) error
}

// A Forgetter is a [Source] that reads its files through the memory of the process. Forget lets that memory go: what is asked
// for later is read again.
type Forgetter interface{ Forget() }
