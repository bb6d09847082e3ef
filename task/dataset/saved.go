package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"parley/internal/plainfile"
)

// This file knows which files of a folder that save_to_disk of the library datasets wrote are its data. state.json names them: what a function
// was mapped to, and what was saved there before, lie beside them. dataset_dict.json names the folders of splits.

// told is what state.json or dataset_dict.json says.
type told struct {
	Files   []struct{ Filename string } `json:"_data_files"`
	Indices []json.RawMessage           `json:"_indices_data_files"`
	Splits  []string                    `json:"splits"`
}

// mostTold is how many bytes such a file may have; a shard takes 60.
const mostTold = 16 << 20

// A Folder knows which files of it and of the folders in it are a data set's.
type Folder struct{ known map[string]told }

// Has says whether a file is one that is read.
func (f *Folder) Has(path string) bool {
	dir, name := filepath.Split(path)
	if !readable(name) || !ending(name, arrow) {
		return readable(name)
	}
	state, err := f.told(filepath.Clean(dir), "state.json")
	if err != nil || state.Files == nil {
		return true
	}
	return !f.stale(filepath.Clean(dir)) && slices.ContainsFunc(state.Files, func(of struct{ Filename string }) bool { return of.Filename == name })
}

// stale says that a folder is a split that was saved there before.
func (f *Folder) stale(dir string) bool {
	dict, err := f.told(filepath.Dir(dir), "dataset_dict.json")
	return err == nil && len(dict.Splits) > 0 && !slices.Contains(dict.Splits, filepath.Base(dir))
}

// check reports a folder whose state.json names what is not read. One that is of something else says nothing.
func (f *Folder) check(dir string) error {
	path := filepath.Join(dir, "state.json")
	state, err := f.told(dir, "state.json")
	switch {
	case err != nil || state.Files == nil || f.stale(dir):
		return nil
	case len(state.Indices) > 0:
		return fmt.Errorf("%s says that the rows are chosen by an index, as releases of datasets before 2.0 wrote it, which is not read: call flatten_indices() before save_to_disk", path)
	case len(state.Files) == 0:
		return fmt.Errorf("%s names no files, so there are no rows: save the data set without this split", path)
	}
	for _, of := range state.Files {
		if of.Filename != filepath.Base(of.Filename) {
			return fmt.Errorf("%s names %q, which is no file beside it", path, of.Filename)
		}
		if _, err := os.Stat(filepath.Join(dir, of.Filename)); err != nil {
			return fmt.Errorf("%s names %s, which is not there: copy all files of the folder", path, of.Filename)
		}
	}
	return nil
}

// told reads such a file, once; that of a folder that has none says nothing.
func (f *Folder) told(dir, name string) (out told, err error) {
	path := filepath.Join(dir, name)
	if out, known := f.known[path]; known {
		return out, nil
	}
	data, err := fs.ReadFile(plainfile.Dir(dir, mostTold), name)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return told{}, fmt.Errorf("read %s: %w", path, err)
	}
	if f.known == nil {
		f.known = map[string]told{}
	}
	f.known[path] = out
	return out, nil
}
