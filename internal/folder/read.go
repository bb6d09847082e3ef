package folder

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// ErrLong says that a file is longer than any that is read whole.
var ErrLong = errors.New("has more than 1 GiB, which no file of its kind has: it is damaged")

// ErrFolder says that a folder stands where a file belongs.
var ErrFolder = errors.New("is a folder")

// longest bounds a file that is read whole: a damaged file system, or somebody else, may have made a file of any size with a few bytes in it.
const longest = 1 << 30

// ReadFile reads a file of at most 1 GiB.
func (f *Folder) ReadFile(name string) ([]byte, error) {
	file, err := f.File(name)
	if err != nil {
		return nil, err
	}
	var data []byte
	info, err := file.Stat()
	if err == nil && info.Size() > longest {
		err = &fs.PathError{Op: "read", Path: f.Path(name), Err: ErrLong}
	}
	if err == nil {
		data, err = io.ReadAll(file)
	}
	return data, errors.Join(err, file.Close())
}

// File opens a file for reading.
func (f *Folder) File(name string) (*os.File, error) {
	info, err := f.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &fs.PathError{Op: "read", Path: f.Path(name), Err: ErrFolder}
	}
	return f.root.Open(filepath.FromSlash(name))
}

// List lists what is in a folder below the folder, in the order of names.
func (f *Folder) List(name string) ([]fs.DirEntry, error) {
	if err := f.Check(name); err != nil {
		return nil, err
	}
	return fs.ReadDir(f.root.FS(), filepath.ToSlash(name))
}

// Walk visits what is below a name, and then the name itself.
func (f *Folder) Walk(name string, visit func(name string, e fs.DirEntry) error) error {
	entries, err := f.List(name)
	if err != nil {
		return err
	}
	for _, e := range entries {
		below := path.Join(name, e.Name())
		if e.IsDir() {
			err = f.Walk(below, visit)
		} else {
			err = visit(below, e)
		}
		if err != nil {
			return err
		}
	}
	info, err := f.Stat(name)
	if err != nil {
		return err
	}
	return visit(name, fs.FileInfoToDirEntry(info))
}

// ReadFile reads a file of the folder dir.
func ReadFile(dir, name string) ([]byte, error) {
	f, err := Open(dir)
	if err != nil {
		return nil, err
	}
	data, err := f.ReadFile(name)
	return data, errors.Join(err, f.Close())
}

// File opens a file of the folder dir for reading.
func File(dir, name string) (*os.File, error) {
	f, err := Open(dir)
	if err != nil {
		return nil, err
	}
	file, err := f.File(name)
	return file, errors.Join(err, f.Close())
}

// List lists what is in a folder below the folder dir.
func List(dir, name string) ([]fs.DirEntry, error) {
	f, err := Open(dir)
	if err != nil {
		return nil, err
	}
	list, err := f.List(name)
	return list, errors.Join(err, f.Close())
}

// Lines calls read for every line of a file of which each line is a record, and counts those that read says are none. Empty lines are none either, and
// do not count; nor does a last line without an end, which is being written.
func Lines(data []byte, read func(line []byte) bool) (damaged int) {
	for line := range bytes.Lines(data) {
		text := bytes.TrimSpace(line)
		if len(text) > 0 && !read(text) && bytes.HasSuffix(line, []byte("\n")) {
			damaged++
		}
	}
	return damaged
}
