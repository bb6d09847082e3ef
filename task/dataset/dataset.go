// Package dataset finds the files of a data set and reads their records, whatever form they are in.
//
//	set, err := dataset.Open("anli_v1.0", cache)       // a file, a folder, or a data set that was pulled from the Hub
//	for _, f := range set.Of("train") {
//		err := f.Each(ctx, func(line int, data []byte) error { … })
//	}
//
// A record is one JSON object: a line of JSON lines or an element of a JSON array (jsonl.go), a row of CSV or TSV (table.go),
// any of them plain, gzip or zstd, or a row of parquet or Arrow (package columnar; saved.go has its folders). record.go reads it, heldout.go the problems of a set.
// Where a set has several files, their names say which split each belongs to (split.go). survey.go says what a set holds before it is trained on.
package dataset

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Set is the files of one data set.
type Set struct {
	Name  string
	Files []File // in the order of their paths
}

// endings are those of files that a folder is searched for; any file may be named itself. Those of text may be packed.
var endings = []string{".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", arrow}

const arrow = ".arrow"

// described are files that lie beside data and describe it.
var described = []string{"dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json", "package.json", "croissant.json"}

// readable says whether a file's name is one that a folder is searched for.
func readable(name string) bool {
	return !slices.Contains(described, strings.ToLower(name)) && slices.ContainsFunc(endings, func(e string) bool { return ending(name, e) })
}

// Open finds a data set: a file, a folder with one file or more a split, or the name that a data set on the Hub was pulled by.
// cache is the folder of the Hugging Face cache.
func Open(name, cache string) (Set, error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && !info.IsDir() && !info.Mode().IsRegular():
		return Set{}, fmt.Errorf("data set %s is no regular file: write it to one", name)
	case err == nil && !info.IsDir():
		return Set{Name: name, Files: []File{newFile(name, filepath.Base(name))}}, nil
	case err == nil:
		return folder(name, name)
	}
	if dir, ok := pulled(name, cache); ok {
		return folder(name, dir)
	}
	return Set{}, fmt.Errorf("there is no data set %q: write a file, a folder, or the name of a data set that was pulled: `parley data pull %s`", name, example(name))
}

// example is a name that could have been pulled.
func example(name string) string {
	if org, repo, ok := strings.Cut(name, "/"); ok && org != "" && repo != "" && !strings.Contains(repo, "/") && !strings.HasPrefix(org, ".") {
		return name
	}
	return "ORG/NAME"
}

// folder collects the readable files of a folder and of those in it, hidden ones left out.
func folder(name, dir string) (Set, error) {
	set := Set{Name: name}
	dir, err := filepath.EvalSymlinks(dir) // a walk goes into no link, not even the first
	if err != nil {
		return Set{}, fmt.Errorf("data set %s: %w", name, err)
	}
	var known Folder
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != dir && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case d.IsDir():
			return known.check(path)
		case !known.Has(path):
			return nil
		}
		if _, err := known.told(filepath.Dir(path), "state.json"); err != nil && ending(d.Name(), arrow) {
			return err
		}
		inside, err := filepath.Rel(dir, path)
		set.Files = append(set.Files, newFile(path, filepath.ToSlash(inside)))
		return err
	})
	evaluation(set.Files)
	if err == nil && len(set.Files) == 0 {
		err = fmt.Errorf("it has no file that ends in %s", strings.Join(endings, ", "))
	}
	if err != nil {
		return Set{}, fmt.Errorf("data set %s: %w", name, err)
	}
	return set, nil
}

// Locate returns the file or folder of a data set, which is the snapshot of one that was pulled.
func Locate(name, cache string) (path string, ok bool) {
	if _, err := os.Stat(name); err == nil {
		return name, true
	}
	return pulled(name, cache)
}

// pulled returns the snapshot of a data set in the cache: the one that the branch main means, else the last by name.
func pulled(name, cache string) (dir string, ok bool) {
	repo := filepath.Join(cache, "datasets--"+strings.ReplaceAll(name, "/", "--"))
	if commit, err := os.ReadFile(filepath.Join(repo, "refs", "main")); err == nil {
		return filepath.Join(repo, "snapshots", strings.TrimSpace(string(commit))), true
	}
	all, err := os.ReadDir(filepath.Join(repo, "snapshots"))
	if err != nil || len(all) == 0 || cache == "" {
		return "", false
	}
	return filepath.Join(repo, "snapshots", all[len(all)-1].Name()), true
}
