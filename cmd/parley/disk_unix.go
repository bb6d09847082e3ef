//go:build unix

package main

import "golang.org/x/sys/unix"

// freeDisk is what an ordinary user may still write to the file system of dir, in bytes.
func freeDisk(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil //nolint:unconvert // Bsize is narrower elsewhere
}
