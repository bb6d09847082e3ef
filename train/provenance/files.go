package provenance

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/plainfile"
	"parley/internal/service/web"
	"parley/model"
	"parley/recipe"
	"parley/recipe/keys"
	"parley/runs"
	"parley/task/dataset"
	"parley/train/plan"
)

// Files hashes everything on disk that decides the numbers of r, but its bases: rewards, data sets, verifiers, recordings of servers, of commands the
// arguments that are or name files, and of files of Python those beside them that they import. A file that the recipe names and that is missing is
// left out; the code that needs it reports the error. It ends with ctx: data sets are large.
func Files(ctx context.Context, r *recipe.Recipe) ([]runs.File, error) {
	var list []runs.File
	for _, named := range withinCommands(append(r.NamedFiles(), usualData(r)...)) {
		f, err := hashed(ctx, named)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: hash %s: %w", named.Key, named.Path, err)
		}
		list = append(list, f)
		if !isPython(f) {
			continue
		}
		modules, err := importedBy(ctx, f)
		if err != nil {
			return nil, fmt.Errorf("%s: hash what %s imports: %w", named.Key, named.Path, err)
		}
		list = append(list, modules...)
	}
	return hosted(ctx, r, list)
}

// hosted adds to a list what the program that started parley says of itself at the addresses that r names. What says nothing has no hash.
func hosted(ctx context.Context, r *recipe.Recipe, list []runs.File) ([]runs.File, error) {
	for _, named := range r.Reach() {
		if !unknown(named.Path) && web.OfHost(named.Path) {
			at, err := web.Locate(named.Key, named.Path, "")
			if err != nil {
				return nil, err
			}
			about, err := at.About(ctx)
			if err != nil {
				return nil, fmt.Errorf("%s: ask who answers: %w", named.Key, err)
			}
			f := runs.File{Key: named.Key, Path: named.Path, About: about.Name}
			if about.Identity != "" {
				sum := sha256.Sum256([]byte(about.Identity))
				f.SHA256 = hex.EncodeToString(sum[:])
			}
			list = append(list, f)
		}
	}
	return list, nil
}

// unknown says that nobody can be asked what answers at an address: no program started parley that would.
func unknown(address string) bool { return web.OfHost(address) && !web.Hosted() }

// grows says that a key names a file that runs add to.
func grows(key string) bool { return key == "team.expert.recording" || key == "servers.recording" }

// hashed is what is recorded of something that a recipe names; it wraps [fs.ErrNotExist] where that is no file and no folder.
func hashed(ctx context.Context, named keys.Named) (runs.File, error) {
	f := runs.File{Key: named.Key, Path: named.Path}
	path, counts := named.Path, func(string) bool { return true }
	switch {
	case named.Kind == "model", (named.Kind == "command" || named.Kind == "tool") && !filepath.IsAbs(path): // recorded as a base; an option, a word, or a program of the search path
		return f, fs.ErrNotExist
	case named.Kind == "data":
		counts = new(dataset.Folder).Has
		if found, ok := dataset.Locate(path, model.CacheRoot()); ok {
			path = found
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return f, err
	}
	if info.IsDir() {
		f.SHA256, err = hashFolder(ctx, path, counts)
		return f, err
	}
	if !info.Mode().IsRegular() {
		return f, errors.New("it is neither a file nor a folder")
	}
	size := info.Size()
	if grows(named.Key) {
		if size, err = wholeLines(path); err != nil {
			return f, err
		}
		f.Bytes = size
	}
	f.SHA256, err = hashFile(ctx, path, size)
	return f, err
}

// wholeLines is the length of a file without the beginning of a line at its end, which a process that was killed has left.
func wholeLines(path string) (int64, error) {
	data, err := os.ReadFile(path)
	return int64(bytes.LastIndexByte(data, '\n') + 1), err
}

// usualData are the pulled data sets of tasks that name none.
func usualData(r *recipe.Recipe) (list []keys.Named) {
	tasks := map[string]keys.Task{"task.path": r.Task}
	if r.Eval.Task.Other() {
		tasks["eval.task.path"] = r.Measured()
	}
	for _, key := range slices.Sorted(maps.Keys(tasks)) {
		kind, known := r.Language().Task(tasks[key].Name)
		if known && kind.DataSet != "" && plan.DataSet(kind, tasks[key]) == kind.DataSet {
			list = append(list, keys.Named{Key: key, Kind: "data", Path: kind.DataSet})
		}
	}
	return list
}

// hashFile is the SHA-256 of the first bytes of a file.
func hashFile(ctx context.Context, path string, bytes int64) (string, error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(plainfile.While(ctx, f), bytes)); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// hashFolder is the SHA-256 of the lines that sha256sum prints for the files of a folder that count, in the order of their paths, hidden
// ones left out.
func hashFolder(ctx context.Context, dir string, counts func(path string) bool) (string, error) {
	var lines []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != dir && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		info, err := os.Stat(path) // snapshots of the cache are links
		if err != nil || !info.Mode().IsRegular() || !counts(path) {
			return err
		}
		sum, err := hashFile(ctx, path, info.Size())
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(dir, path)
		lines = append(lines, sum+"  "+filepath.ToSlash(inside)+"\n")
		return err
	})
	if err != nil {
		return "", err
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	return hex.EncodeToString(sum[:]), nil
}
