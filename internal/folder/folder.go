// Package folder works in one folder and never outside of it: no link in it is followed, whoever put it there and whatever it points to.
//
// A name is a path with slashes, relative to the folder. Each part of it that is there must be a real folder, and its last part a plain file or a
// real folder: a symbolic link, a pipe, a socket or a device is a [StrangeError], before anything is read or written. [os.Root] stands behind
// that, for names that become links at the very moment. A file with a second name, a hard link, is never changed in place: see
// [Folder.Append]. The folder itself may be reached over links: it is the one that the user named.
//
// [Whole] is for those who make a folder: it is there whole or not at all. Whoever sees the name sees all of the content, also after a crash or on
// a full disk.
//
//	folder.go  names, and what may stand under them
//	write.go   what changes the folder
//	read.go    what does not
//	whole.go   folders that are there whole or not at all
//	lock.go    one process at a time writes to a folder
package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// A Folder is one that is worked in.
type Folder struct {
	path string
	root *os.Root
}

// Open opens an existing folder.
func Open(dir string) (*Folder, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Folder{dir, root}, nil
}

// Close gives the folder back.
func (f *Folder) Close() error { return f.root.Close() }

// Path is where a name is, for those who can only use paths. Whoever writes there checks the name first.
func (f *Folder) Path(name string) string { return filepath.Join(f.path, filepath.FromSlash(name)) }

// A StrangeError says that something in the folder is neither a plain file nor a real folder.
type StrangeError struct {
	Path string
	Mode fs.FileMode
}

func (e *StrangeError) Error() string {
	return fmt.Sprintf("%s is %s, which is never followed or opened there: put what belongs there in its place, or move it away", e.Path, kind(e.Mode))
}

// kind names what is no file and no folder.
func kind(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "a link"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	}
	return "no plain file"
}

// Check returns an error where some part of a name is there and is strange. A name that is not there is fine.
func (f *Folder) Check(name string) error {
	_, err := f.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Stat looks at a name without following anything.
func (f *Folder) Stat(name string) (info fs.FileInfo, err error) {
	parts := strings.Split(path.Clean(name), "/")
	for i := range parts {
		part := strings.Join(parts[:i+1], "/")
		if info, err = f.root.Lstat(filepath.FromSlash(part)); err != nil {
			return nil, err
		}
		if !info.IsDir() && !info.Mode().IsRegular() {
			return nil, &StrangeError{f.Path(part), info.Mode()}
		}
	}
	return info, nil
}

// CheckTree is [Folder.Check] of a name and of everything below it that counts.
func (f *Folder) CheckTree(name string, counts func(name string) bool) error {
	info, err := f.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || !info.IsDir() {
		return err
	}
	entries, err := f.List(name)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if below := path.Join(name, e.Name()); counts(below) {
			if err := f.CheckTree(below, counts); err != nil {
				return err
			}
		}
	}
	return nil
}
