// Package store writes the files of one folder so that no name ever holds half of one, and says what could not be written.
//
//	store.go   files and folders that are replaced whole
//	sealed.go  JSON files with their checksum
//	append.go  files that grow; lines.go those of lines, trace.go the trace
//	aside.go   what is damaged, and kept
//	answers.go  which answers to held-out problems a run has
//	manifest.go  what a folder that parley wrote consists of, a checkpoint above all: every file with its checksum
package store

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"parley/internal/folder"
)

// A Disk is what of writing to a run may fail in ways that tests choose. Names are relative to the run.
type Disk interface {
	// Create opens a new file for writing, append an existing or new one for adding to it.
	Create(name string) (File, error)
	Append(name string) (File, error)
	Rename(from, to string) error
}

// A File is one that is written.
type File interface {
	io.WriteCloser
	Sync() error
	Truncate(size int64) error
}

// An OS is the run's folder.
type OS struct{ *folder.Folder }

// Create implements [Disk].
func (d OS) Create(name string) (File, error) { return opened(d.Folder.Create(name)) }

// Append implements [Disk].
func (d OS) Append(name string) (File, error) { return opened(d.Folder.Append(name)) }

func opened(f *os.File, err error) (File, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Rename implements [Disk].
func (d OS) Rename(from, to string) error { return d.Folder.Rename(from, to) }

// A Store is a folder and the ways to write to it. Its methods are for one goroutine at a time.
type Store struct {
	Folder *folder.Folder
	Disk   Disk
	Again  func() string // the command that goes on, for errors

	dir string
}

// Open opens the folder of a run. Again is to be set before anything is written.
func Open(dir string) (*Store, error) {
	f, err := folder.Open(dir)
	if err != nil {
		return nil, err
	}
	return &Store{Folder: f, Disk: OS{f}, dir: dir}, nil
}

// Lines is a file of lines.
func (s *Store) Lines(name string) *LineFile {
	return &LineFile{AppendFile: AppendFile{run: s, name: name}}
}

// Trace is a file of events.
func (s *Store) Trace(name string) *TraceFile { return &TraceFile{AppendFile{run: s, name: name}} }

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

// Failed is the error of a file or folder that could not be written; nil: it could.
func (s *Store) Failed(name string, err error) error {
	if err == nil {
		return nil
	}
	return &WriteError{Path: filepath.Join(s.dir, name), Dir: s.dir, Err: err, again: s.Again()}
}

// WriteFile replaces the file name of the run, a path with slashes relative to its folder, in one step: whenever the process
// or the machine dies, the name holds either the old content or the new.
func (s *Store) WriteFile(name string, data []byte) error {
	return s.WriteStream(name, Bytes(data))
}

// ReadFile returns the content of the file name of the run.
func (s *Store) ReadFile(name string) ([]byte, error) {
	data, err := s.Folder.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read run: %w", err)
	}
	return data, nil
}

// WriteStream is WriteFile for content that is made while it is written.
func (s *Store) WriteStream(name string, write func(w io.Writer) error) error {
	dir, base := path.Split(name)
	dir = path.Clean(dir)
	temp := path.Join(dir, TempPrefix+base)
	err := s.Folder.Make(dir)
	if err == nil {
		err = s.WriteSynced(temp, write)
	}
	if err == nil {
		err = s.Disk.Rename(temp, name)
	}
	if err != nil {
		_ = s.Folder.Remove(temp) // what failed is told
		return s.Failed(name, err)
	}
	return s.Failed(name, s.Folder.Sync(dir))
}

// WriteDir replaces the folder name of the run with what fill writes into the empty folder it is given, and a manifest of that. A process that
// dies leaves the old content, the new or none under that name, never a part of the new. What parley did not write into the old stays.
func (s *Store) WriteDir(name string, fill func(dir string) error) error {
	temp := path.Join(path.Dir(name), TempPrefix+path.Base(name))
	err := s.Refill(temp, func(dir string) error {
		if err := fill(dir); err != nil {
			return err
		}
		return s.List(temp, Manifest{})
	})
	if err == nil {
		err = s.ReplaceDir(name, temp)
	}
	if err != nil {
		_ = s.Folder.RemoveAll(temp) // what failed is told
	}
	return s.Failed(name, err)
}

// List writes the manifest of a folder.
func (s *Store) List(name string, m Manifest) (err error) {
	if m.Files, err = SumsOf(s.Folder.Path(name)); err != nil {
		return err
	}
	data, err := m.Text()
	if err != nil {
		return err
	}
	return s.WriteSynced(path.Join(name, file), Bytes(data))
}

// Refill makes a fresh folder and flushes what fill writes into it.
func (s *Store) Refill(name string, fill func(dir string) error) error {
	if err := s.Folder.RemoveAll(name); err != nil {
		return err
	}
	if err := s.Folder.Make(name); err != nil {
		return err
	}
	if err := fill(s.Folder.Path(name)); err != nil {
		return err
	}
	return s.Folder.SyncTree(name)
}

// ReplaceDir puts the folder temp in the place of name. What parley wrote there before is listed by the manifest; earlier releases wrote none.
func (s *Store) ReplaceDir(name, temp string) error {
	names, err := s.Folder.Names(temp)
	if err != nil {
		return err
	}
	listed := map[string]string{file: ""}
	if m, err := LoadManifest(s.Folder.Path(name)); err == nil {
		maps.Copy(listed, m.Files)
	}
	known := func(inside string) bool {
		_, was := listed[inside]
		return was || names[path.Base(inside)]
	}
	return s.Folder.Replace(name, temp, known, s.Disk.Rename)
}

// TempPrefix begins the names of files and folders that are not finished.
const TempPrefix = ".unfinished-"

// WriteSynced writes a file and flushes it to the disk.
func (s *Store) WriteSynced(name string, write func(w io.Writer) error) error {
	f, err := s.Disk.Create(name)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		return errors.Join(err, f.Close())
	}
	return errors.Join(f.Sync(), f.Close())
}

// Bytes is what writes a text.
func Bytes(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}
