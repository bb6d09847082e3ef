//go:build unix

package folder

import (
	"io/fs"
	"syscall"
)

// names is how many names a file has.
func names(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok && !info.IsDir() {
		return uint64(s.Nlink)
	}
	return 1
}
