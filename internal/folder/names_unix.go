//go:build unix

package folder

import (
	"io/fs"
	"syscall"
)

// shared says whether a file has other names too.
func shared(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && !info.IsDir() && s.Nlink > 1
}
