// Package plainfile opens files that a user names or that a download left, and says what a name stands for that is no such file.
//
// [Open], [Read] and [Dir] look at what a name is before they open it: a named pipe, a device, a socket or a folder in place of a file is an
// error that says so, where opening it would wait for ever or read without an end. So is a symbolic link that leads nowhere, as an emptied
// download cache leaves them; such an error is none of [fs.ErrNotExist], since a file that may be missing must not be taken for one that is.
// [Check] looks at what a file holds: a Git-LFS pointer, a web page, or a server's refusal in place of the content.
//
//	r, err := plainfile.OpenText(file)       // the text of a data file: gzip and zstd unpacked, a byte order mark left out
//	err = plainfile.CheckText(line)          // UTF-8, and no half of a surrogate pair
//	if plainfile.BoundedYAML(text) { … }     // any parser of YAML may have it, whose time and memory grow with the square of its tokens
//
// What a file of data is decides its first bytes, not its name. A format that is not read is an error that says what to do instead: a person
// who downloaded a web page, or saved a table in UTF-16, is told so.
package plainfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Open opens a file for reading.
func Open(name string) (*os.File, error) {
	if err := is(name); err != nil {
		return nil, err
	}
	return os.Open(name)
}

// Read reads a whole file.
func Read(name string) ([]byte, error) {
	if err := is(name); err != nil {
		return nil, err
	}
	return os.ReadFile(name)
}

// is reports a name that stands for something else than a file. A pipe that a shell has opened, such as /dev/stdin, is one.
func is(name string) error {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		if to, linkErr := os.Readlink(name); linkErr == nil {
			return &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("it is a link to %s, which is not there: the download is not complete, or its cache was emptied; get it again", to)}
		}
	}
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: "open", Path: failed.Path, Err: failed.Err} // as opening it says
	}
	if err != nil {
		return err
	}
	if info.Mode().IsRegular() || info.Mode()&fs.ModeNamedPipe != 0 && opened(name) {
		return nil
	}
	return &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("it is %s, not a file", kind(info.Mode()))}
}

// opened reports names of what the process holds open.
func opened(name string) bool {
	name = filepath.ToSlash(filepath.Clean(name))
	return name == "/dev/stdin" || strings.HasPrefix(name, "/dev/fd/") || strings.HasPrefix(name, "/proc/self/fd/")
}

// kind names what is no file.
func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}

// Dir is a folder of small files, such as those beside a model's weights. What it reads has passed [Check], and is at most limit bytes.
func Dir(dir string, limit int64) fs.FS { return folder{os.DirFS(dir), dir, limit} }

type folder struct {
	fs.FS
	dir   string
	limit int64
}

// Open implements [fs.FS].
func (f folder) Open(name string) (fs.File, error) {
	path := filepath.Join(f.dir, filepath.FromSlash(name))
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return f.FS.Open(name)
	}
	if err := is(path); err != nil {
		return nil, err
	}
	return f.FS.Open(name)
}

// ReadFile implements [fs.ReadFileFS].
func (f folder) ReadFile(name string) ([]byte, error) {
	path := filepath.Join(f.dir, filepath.FromSlash(name))
	if err := is(path); err != nil {
		return nil, err
	}
	if info, err := fs.Stat(f.FS, name); err == nil && info.Size() > f.limit {
		return nil, fmt.Errorf("%s has %d bytes, over the limit of %d", path, info.Size(), f.limit)
	}
	data, err := fs.ReadFile(f.FS, name)
	if err != nil {
		return nil, err
	}
	return data, Check(path, data)
}

// Stat implements [fs.StatFS].
func (f folder) Stat(name string) (fs.FileInfo, error) { return fs.Stat(f.FS, name) }

// ReadDir implements [fs.ReadDirFS].
func (f folder) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(f.FS, name) }

// A Needed is a file whose reads end with a context.
type Needed struct {
	ctx  context.Context
	file *os.File
}

// While is a file that is read as long as ctx lasts.
func While(ctx context.Context, file *os.File) Needed { return Needed{ctx, file} }

// Read implements [io.Reader].
func (n Needed) Read(p []byte) (int, error) {
	if err := n.ctx.Err(); err != nil {
		return 0, err
	}
	return n.file.Read(p)
}

// ReadAt implements [io.ReaderAt].
func (n Needed) ReadAt(p []byte, at int64) (int, error) {
	if err := n.ctx.Err(); err != nil {
		return 0, err
	}
	return n.file.ReadAt(p, at)
}
