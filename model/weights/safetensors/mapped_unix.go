//go:build unix

package safetensors

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

func mapFile(f *os.File, size int64) (*Mapped, error) {
	if int64(int(size)) != size {
		return nil, fmt.Errorf("%d bytes do not fit the address space", size)
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return &Mapped{
		Data:   data,
		unmap:  func() error { return unix.Munmap(data) },
		forget: func() { _ = unix.Madvise(data, unix.MADV_DONTNEED) }, // a shared mapping: nothing is lost; a refusal costs memory only
	}, nil
}
