//go:build !unix

package folder

import "io/fs"

// shared says whether a file has other names too, where the system tells.
func shared(fs.FileInfo) bool { return false }
