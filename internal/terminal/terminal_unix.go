//go:build unix

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

func mode(f *os.File) (*unix.Termios, error) { return unix.IoctlGetTermios(int(f.Fd()), getMode) }

func setMode(f *os.File, m *unix.Termios) error {
	return unix.IoctlSetTermios(int(f.Fd()), putMode, m)
}

// raw does what cfmakeraw does: see termios(3).
func raw(usual *unix.Termios) *unix.Termios {
	m := *usual
	m.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	m.Oflag &^= unix.OPOST
	m.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	m.Cflag &^= unix.CSIZE | unix.PARENB
	m.Cflag |= unix.CS8
	m.Cc[unix.VMIN], m.Cc[unix.VTIME] = 1, 0
	return &m
}

func size(f *os.File) (columns, rows int, err error) {
	w, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, 0, err
	}
	return int(w.Col), int(w.Row), nil
}
