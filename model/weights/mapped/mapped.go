// Package mapped gives the bytes of a file without copying them where the system can map files into memory, and reads
// the whole file elsewhere. Weights are read once, front to back, so the page cache is the best buffer for them.
package mapped

import (
	"os"

	"parley/internal/plainfile"
)

// File is the content of one file. Data must not be written to, nor used after Close.
type File struct {
	Data   []byte
	unmap  func() error
	forget func()
}

// Open maps or reads the file at path. A file that another process truncates while it is mapped faults on access, as with
// every memory map; our own writers only ever replace files by renaming.
func Open(path string) (*File, error) {
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
	return &File{Data: data}, nil
}

// Forget lets go of the memory that reading has filled, where the file is mapped: Data is read from the file again when it is
// used.
func (f *File) Forget() {
	if f.unmap != nil && f.forget != nil {
		f.forget()
	}
}

// Close releases the mapping. It may be called more than once.
func (f *File) Close() error {
	unmap := f.unmap
	f.Data, f.unmap = nil, nil
	if unmap == nil {
		return nil
	}
	return unmap()
}
