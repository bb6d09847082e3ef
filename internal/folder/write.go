package folder

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Create opens a new file for writing. A file or a link of that name is removed, never written through.
func (f *Folder) Create(name string) (*os.File, error) {
	if err := f.Check(path.Dir(name)); err != nil {
		return nil, err
	}
	if err := f.Remove(name); err != nil {
		return nil, err
	}
	return f.root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
}

// Append opens a file to add to and to cut, and makes it where there is none. One that has other names too, as in a backup made of hard
// links, is copied first: what stands under the other names stays as it is.
func (f *Folder) Append(name string) (*os.File, error) {
	info, err := f.Stat(name)
	if err == nil && shared(info) {
		err = f.own(name)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return f.root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
}

// A KeepError says why what was computed is not kept in a folder. It is whole all the same.
type KeepError struct{ Err error }

func (e *KeepError) Error() string { return "it is not kept with the run: " + e.Err.Error() }
func (e *KeepError) Unwrap() error { return e.Err }

// AppendLine adds a line to a file of lines in a folder, as one write, and makes the file where there is none. Behind a line that was cut off, as on
// a full disk, begins a new one. Other processes may add lines meanwhile.
func AppendLine(dir, name string, line []byte) error {
	f, err := Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	torn, err := f.torn(name)
	if err != nil {
		return err
	}
	text := slices.Concat(line, []byte("\n"))
	if torn {
		text = slices.Concat([]byte("\n"), text)
	}
	w, err := f.Append(name)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return errors.Join(err, w.Sync(), w.Close())
}

// torn says that a file does not end with a line break, and is not empty.
func (f *Folder) torn(name string) (bool, error) {
	r, err := f.File(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer r.Close()
	info, err := r.Stat()
	if err != nil || info.Size() == 0 {
		return false, err
	}
	var last [1]byte
	_, err = r.ReadAt(last[:], info.Size()-1)
	return last[0] != '\n', err
}

// own puts a copy of a file in its place.
func (f *Folder) own(name string) error {
	data, err := f.ReadFile(name)
	if err != nil {
		return err
	}
	temp := path.Join(path.Dir(name), ".unfinished-"+path.Base(name))
	to, err := f.Create(temp)
	if err != nil {
		return err
	}
	_, err = to.Write(data)
	if err = errors.Join(err, to.Sync(), to.Close()); err == nil {
		err = f.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, f.Remove(temp))
	}
	return nil
}

// Truncate cuts a file.
func (f *Folder) Truncate(name string, size int64) error {
	file, err := f.Append(name)
	if err != nil {
		return err
	}
	return errors.Join(file.Truncate(size), file.Close())
}

// Rename gives something another name. A file of that name is replaced; a link is too, and what it points to stays as it is.
func (f *Folder) Rename(from, to string) error {
	if err := errors.Join(f.Check(path.Dir(from)), f.Check(path.Dir(to))); err != nil {
		return err
	}
	return f.root.Rename(filepath.FromSlash(from), filepath.FromSlash(to))
}

// Remove removes a file, a link or an empty folder, where there is one.
func (f *Folder) Remove(name string) error {
	if err := f.Check(path.Dir(name)); err != nil {
		return err
	}
	err := f.root.Remove(filepath.FromSlash(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// RemoveAll removes something with all that is below it. Links are removed, not what they point to.
func (f *Folder) RemoveAll(name string) error {
	if err := f.Check(path.Dir(name)); err != nil {
		return err
	}
	return f.root.RemoveAll(filepath.FromSlash(name))
}

// Make makes a folder, and those above it.
func (f *Folder) Make(name string) error {
	if err := f.Check(name); err != nil {
		return err
	}
	return f.root.MkdirAll(filepath.FromSlash(name), 0o755)
}

// Sync makes renames and new files in a folder survive a power cut, where the system can do that.
func (f *Folder) Sync(name string) error {
	d, err := f.root.Open(filepath.FromSlash(name))
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EINVAL) {
		err = nil // folders cannot be flushed here
	}
	return errors.Join(err, d.Close())
}

// SyncTree flushes every file and folder below a name.
func (f *Folder) SyncTree(name string) error {
	return f.Walk(name, func(below string, e fs.DirEntry) error {
		if e.IsDir() {
			return f.Sync(below)
		}
		if err := f.Check(below); err != nil {
			return err
		}
		file, err := f.root.OpenFile(filepath.FromSlash(below), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return errors.Join(file.Sync(), file.Close())
	})
}

// Replace puts the folder temp in the place of name, whose content is moved aside first, so that name is never half gone, and back again where
// temp cannot take its place. rename may fail in tests. What of the old content is not known to have been written by the same hand stays
// under the new one.
func (f *Folder) Replace(name, temp string, known func(inside string) bool, rename func(from, to string) error) error {
	dir, base := path.Split(name)
	old := dir + ".unfinished-old-" + base
	if err := f.clear(old, name, known); err != nil {
		return err
	}
	if err := f.Rename(name, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := rename(temp, name); err != nil {
		if back := f.Rename(old, name); back != nil && !errors.Is(back, fs.ErrNotExist) {
			err = errors.Join(err, back)
		}
		return err
	}
	return errors.Join(f.Sync(path.Clean(dir+".")), f.clear(old, name, known))
}

// clear removes a folder that was moved aside; what is not known goes where it was.
func (f *Folder) clear(old, name string, known func(inside string) bool) error {
	info, err := f.Stat(old)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.IsDir() {
		err = f.Walk(old, func(below string, e fs.DirEntry) error {
			inside := strings.TrimPrefix(below, old+"/")
			if e.IsDir() || known(inside) {
				return nil
			}
			to := path.Join(name, inside)
			return errors.Join(f.Make(path.Dir(to)), f.Rename(below, to))
		})
	}
	if err != nil {
		return err
	}
	return f.RemoveAll(old)
}

// Names are the base names of all files below a name.
func (f *Folder) Names(name string) (map[string]bool, error) {
	names := map[string]bool{}
	err := f.Walk(name, func(below string, e fs.DirEntry) error {
		if !e.IsDir() {
			names[path.Base(below)] = true
		}
		return nil
	})
	return names, err
}
