package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

func mode(f *os.File) (m uint32, err error) {
	err = windows.GetConsoleMode(windows.Handle(f.Fd()), &m)
	return m, err
}

func setMode(f *os.File, m uint32) error { return windows.SetConsoleMode(windows.Handle(f.Fd()), m) }

func raw(usual uint32) uint32 {
	return usual&^(windows.ENABLE_ECHO_INPUT|windows.ENABLE_PROCESSED_INPUT|windows.ENABLE_LINE_INPUT) | windows.ENABLE_VIRTUAL_TERMINAL_INPUT
}

func size(f *os.File) (columns, rows int, err error) {
	var i windows.ConsoleScreenBufferInfo
	if err := windows.GetConsoleScreenBufferInfo(windows.Handle(f.Fd()), &i); err != nil {
		return 0, 0, err
	}
	return int(i.Window.Right-i.Window.Left) + 1, int(i.Window.Bottom-i.Window.Top) + 1, nil
}
