package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// A disk is what a run needs of the file system for writing. Tests put a full one in its place.
type disk interface {
	// create opens a new file for writing, append an existing or new one for adding to it.
	create(name string) (file, error)
	append(name string) (file, error)
	rename(from, to string) error
	// syncDir makes renames and new files in a folder survive a power cut, where the system can do that.
	syncDir(name string) error
}

type file interface {
	io.WriteCloser
	Sync() error
	Truncate(size int64) error
}

type osDisk struct{}

func (osDisk) create(name string) (file, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
}

func (osDisk) append(name string) (file, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
}

func (osDisk) rename(from, to string) error { return os.Rename(from, to) }

func (osDisk) syncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EINVAL) {
		err = nil // folders cannot be flushed here
	}
	return errors.Join(err, d.Close())
}

// A WriteError says what could not be written. What was there before is unharmed, and the run can be resumed.
type WriteError struct {
	Path string // of the file or folder
	Dir  string // of the run
	Err  error

	again string // the command that goes on
}

func (e *WriteError) Error() string {
	what := "check the disk and the permissions"
	if errors.Is(e.Err, syscall.ENOSPC) {
		what = "free some space"
	}
	return fmt.Sprintf("write %s: %v; %s, then go on with: %s", e.Path, e.Err, what, e.again)
}

func (e *WriteError) Unwrap() error { return e.Err }

func (r *Run) writeError(name string, err error) error {
	if err == nil {
		return nil
	}
	return &WriteError{Path: filepath.Join(r.dir, name), Dir: r.dir, Err: err, again: r.meta.again(r.dir)}
}

// WriteFile replaces the file name of the run, a path with slashes relative to its folder, in one step: whenever the process
// or the machine dies, the name holds either the old content or the new.
func (r *Run) WriteFile(name string, data []byte) error {
	return r.writeStream(name, writes(data))
}

// WriteJSON is WriteFile of v as indented JSON.
func (r *Run) WriteJSON(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return r.WriteFile(name, append(data, '\n'))
}

// ReadFile returns the content of the file name of the run.
func (r *Run) ReadFile(name string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(name)))
	if err != nil {
		return nil, fmt.Errorf("read run: %w", err)
	}
	return data, nil
}

// writeStream is WriteFile for content that is made while it is written.
func (r *Run) writeStream(name string, write func(w io.Writer) error) error {
	path := filepath.Join(r.dir, filepath.FromSlash(name))
	dir := filepath.Dir(path)
	temp := filepath.Join(dir, tempPrefix+filepath.Base(path))
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		err = r.writeSynced(temp, write)
	}
	if err == nil {
		err = r.disk.rename(temp, path)
	}
	if err != nil {
		os.Remove(temp)
		return r.writeError(name, err)
	}
	return r.writeError(name, r.disk.syncDir(dir))
}

// WriteDir replaces the folder name of the run with what fill writes into the empty folder it is given. A process that dies
// leaves the old content, the new or none under that name, never a part of the new.
func (r *Run) WriteDir(name string, fill func(dir string) error) error {
	path := filepath.Join(r.dir, filepath.FromSlash(name))
	temp := filepath.Join(filepath.Dir(path), tempPrefix+filepath.Base(path))
	err := os.RemoveAll(temp)
	if err == nil {
		err = os.MkdirAll(temp, 0o755)
	}
	if err == nil {
		err = fill(temp)
	}
	if err == nil {
		err = syncTree(r.disk, temp)
	}
	if err == nil {
		err = r.replaceDir(path, temp)
	}
	if err != nil {
		os.RemoveAll(temp)
	}
	return r.writeError(name, err)
}

// replaceDir puts the folder temp in the place of path. What was there is moved aside first, so that path is never half gone, and
// back again where temp cannot take its place.
func (r *Run) replaceDir(path, temp string) error {
	dir, name := filepath.Split(path)
	old := filepath.Join(dir, tempPrefix+"old-"+name)
	if err := os.RemoveAll(old); err != nil {
		return err
	}
	if err := os.Rename(path, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := r.disk.rename(temp, path); err != nil {
		if back := os.Rename(old, path); back != nil && !errors.Is(back, fs.ErrNotExist) {
			err = errors.Join(err, back)
		}
		return err
	}
	return errors.Join(r.disk.syncDir(dir), os.RemoveAll(old))
}

// tempPrefix begins the names of files and folders that are not finished.
const tempPrefix = ".unfinished-"

// writeSynced writes a file and flushes it to the disk.
func (r *Run) writeSynced(path string, write func(w io.Writer) error) error {
	f, err := r.disk.create(path)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		return errors.Join(err, f.Close())
	}
	return errors.Join(f.Sync(), f.Close())
}
