//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package terminal

import "golang.org/x/sys/unix"

const (
	getMode = unix.TIOCGETA
	putMode = unix.TIOCSETA
)
