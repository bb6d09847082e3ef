//go:build unix

package sysmem

import "golang.org/x/sys/unix"

// FreeDisk is what an ordinary user may still write to the file system of dir, in bytes.
func FreeDisk(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil //nolint:unconvert // Bsize is narrower elsewhere
}
