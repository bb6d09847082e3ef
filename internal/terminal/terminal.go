// Package terminal is what the commands need of a terminal: whether a file is one, how large it is, raw mode, and lines that a
// person types and edits ([Editor]).
package terminal

import "os"

// Is says whether f is a terminal.
func Is(f *os.File) bool {
	_, err := mode(f)
	return err == nil
}

// Size returns how many columns and rows the terminal f shows.
func Size(f *os.File) (columns, rows int, err error) { return size(f) }

// Raw hands every key over as it is typed, without echo and without signals. restore puts the terminal back as it was.
func Raw(f *os.File) (restore func() error, err error) {
	usual, err := mode(f)
	if err != nil {
		return nil, err
	}
	if err := setMode(f, raw(usual)); err != nil {
		return nil, err
	}
	return func() error { return setMode(f, usual) }, nil
}
