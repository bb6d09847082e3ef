package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// everything is beyond the number of any update.
const everything = 1<<62 - 1

// An appendFile is a file of the run that only grows, but for what is cut off when the run goes back to a checkpoint. It is
// opened on first use.
type appendFile struct {
	run  *Run
	name string
	file file
	size int64 // bytes to append after
}

func (a *appendFile) path() string { return filepath.Join(a.run.dir, a.name) }

// open makes the file ready to append to, once cut has dropped what a killed process left half-written.
func (a *appendFile) open(cut func(most int) error) error {
	if a.file != nil {
		return nil
	}
	if err := cut(everything); err != nil {
		return err
	}
	f, err := a.run.disk.append(a.path())
	if err != nil {
		return a.run.writeError(a.name, err)
	}
	a.file = f
	return nil
}

// content closes the file and reads it; there is none: nil.
func (a *appendFile) content() ([]byte, error) {
	if err := a.close(); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(a.path())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read %s: %w", a.path(), err)
	}
	return data, nil
}

func (a *appendFile) sync() error {
	if a.file == nil {
		return nil
	}
	return a.run.writeError(a.name, a.file.Sync())
}

func (a *appendFile) close() error {
	if a.file == nil {
		return nil
	}
	err := errors.Join(a.file.Sync(), a.file.Close())
	a.file = nil
	return a.run.writeError(a.name, err)
}
