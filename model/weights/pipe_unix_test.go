//go:build unix

package weights

import "golang.org/x/sys/unix"

func namedPipe(path string) error { return unix.Mkfifo(path, 0o600) }
