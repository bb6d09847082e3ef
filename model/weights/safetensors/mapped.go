package safetensors

import (
	"os"

	"parley/internal/plainfile"
)

// Mapped is the content of one file: its bytes without a copy where the system can map files into memory, the whole file read elsewhere. Weights are
// read once, front to back, so the page cache is the best buffer for them. Data must not be written to, nor used after Close.
type Mapped struct {
	Data   []byte
	unmap  func() error
	forget func()
}

// Map maps or reads the file at path. A file that another process truncates while it is mapped faults on access, as with
// every memory map; our own writers only ever replace files by renaming.
func Map(path string) (*Mapped, error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > 0 {
		if m, err := mapFile(f, info.Size()); err == nil {
			return m, nil
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return &Mapped{Data: data}, nil
}

// Forget lets go of the memory that reading has filled, where the file is mapped: Data is read from the file again when it is
// used.
func (f *Mapped) Forget() {
	if f.unmap != nil && f.forget != nil {
		f.forget()
	}
}

// Close releases the mapping. It may be called more than once.
func (f *Mapped) Close() error {
	unmap := f.unmap
	f.Data, f.unmap = nil, nil
	if unmap == nil {
		return nil
	}
	return unmap()
}
