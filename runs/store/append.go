package store

import (
	"errors"
	"fmt"
	"io/fs"
)

// everything is beyond the number of any update.
const everything = 1<<62 - 1

// An AppendFile is a file of the run that only grows, but for what is cut off when the run goes back to a checkpoint. It is
// opened on first use.
type AppendFile struct {
	run  *Store
	name string
	file File
	size int64 // bytes to append after
}

// Path is where the file is.
func (a *AppendFile) Path() string { return a.run.Folder.Path(a.name) }

// Open makes the file ready to append to, once cut has dropped what a killed process left half-written.
func (a *AppendFile) Open(cut func(most int) error) error {
	if a.file != nil {
		return nil
	}
	if err := cut(everything); err != nil {
		return err
	}
	f, err := a.run.Disk.Append(a.name)
	if err != nil {
		return a.run.Failed(a.name, err)
	}
	a.file = f
	return nil
}

// Content closes the file and reads it; there is none: nil.
func (a *AppendFile) Content() ([]byte, error) {
	if err := a.Close(); err != nil {
		return nil, err
	}
	data, err := a.run.Folder.ReadFile(a.name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read %s: %w", a.Path(), err)
	}
	return data, nil
}

// Sync flushes what was appended.
func (a *AppendFile) Sync() error {
	if a.file == nil {
		return nil
	}
	return a.run.Failed(a.name, a.file.Sync())
}

// Close flushes what was appended, and closes the file until it is used again.
func (a *AppendFile) Close() error {
	if a.file == nil {
		return nil
	}
	err := errors.Join(a.file.Sync(), a.file.Close())
	a.file = nil
	return a.run.Failed(a.name, err)
}
