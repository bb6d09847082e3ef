package provenance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"parley/internal/usererror"
	"parley/model"
	"parley/recipe"
	"parley/recipe/keys"
	"parley/recipe/schema"
	"parley/runs"
	"parley/task/dataset"
	"parley/train/lineup"
)

// onDisk lists what a recipe names on disk, the usual data sets of its tasks too.
func onDisk(r *recipe.Recipe) []keys.Named { return append(r.NamedFiles(), usualData(r)...) }

// Moved is the recipe r that the run in dir recorded, with the places where its files are now. sets are changes key=value of keys that name files, or
// that say on which device of this machine it is computed: what computes other numbers is a change like another file ([Changes]). A file
// that sets does not name and that is gone is looked for beside the run, because a folder may have been moved together with a run and its data.
func Moved(dir string, meta runs.Meta, r *recipe.Recipe, sets []string) (*recipe.Recipe, error) {
	keys := keysOf(onDisk(r))
	for _, set := range sets {
		key, _, whole := strings.Cut(set, "=")
		if whole && (slices.Contains(keys, key) || strings.HasPrefix(key, device)) {
			continue
		}
		can := "its recipe names none"
		if len(keys) > 0 {
			can = "its recipe names " + strings.Join(keys, ", ")
		}
		return nil, usererror.Errorf("--set %s: %s keeps the recipe that it was trained with; of a run, --set says where files are now, and %s; or where it computes: %sdevice and its like", set, dir, can, device)
	}
	sets = append(beside(dir, meta, r), sets...)
	if len(sets) == 0 {
		return r, nil
	}
	return r.Moved(filepath.Join(dir, runs.MetaFile), sets)
}

// device begins the keys that say on which device of this machine a run computes.
const device = "engine.torch."

// Places are the changes that give a recipe the files that r names.
func Places(r *recipe.Recipe) []string {
	list := r.NamedFiles()
	var sets []string
	for _, key := range keysOf(list) {
		sets = append(sets, key+"="+placesOf(r, key, list, func(path string) string { return path }))
	}
	return sets
}

// placesOf is the value of a key, with its paths changed.
func placesOf(r *recipe.Recipe, key string, list []keys.Named, now func(path string) string) string {
	var values []string
	for _, n := range list {
		if n.Key == key {
			values = append(values, now(n.Path))
		}
	}
	if r.Lists(key) {
		return schema.FlowList(values)
	}
	return values[0]
}

// keysOf are the keys of a list, each once.
func keysOf(list []keys.Named) (keys []string) {
	for _, n := range list {
		if !slices.Contains(keys, n.Key) {
			keys = append(keys, n.Key)
		}
	}
	return keys
}

// beside are the changes for files that are gone and lie where they lay, seen from the run's folder.
func beside(dir string, meta runs.Meta, r *recipe.Recipe) (sets []string) {
	now, err := filepath.Abs(dir)
	if meta.Folder == "" || err != nil || now == meta.Folder {
		return nil
	}
	list := r.NamedFiles()
	for _, key := range keysOf(list) {
		found := false
		value := placesOf(r, key, list, func(path string) string {
			inside, err := filepath.Rel(meta.Folder, path)
			if err != nil || !filepath.IsAbs(path) || isThere(path) || !isThere(filepath.Join(now, inside)) {
				return path
			}
			found = true
			return filepath.Join(now, inside)
		})
		if found {
			sets = append(sets, key+"="+value)
		}
	}
	return sets
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// Recorded is what a run recorded whose recipe is was, as if its files had always been where now, its recipe of today, names them.
func Recorded(meta runs.Meta, was, now *recipe.Recipe) runs.Meta {
	place := map[[2]string]string{} // by key and former path
	before, after := onDisk(was), onDisk(now)
	for _, key := range keysOf(before) {
		ofKey := func(n keys.Named) bool { return n.Key != key }
		old, fresh := slices.DeleteFunc(slices.Clone(before), ofKey), slices.DeleteFunc(slices.Clone(after), ofKey)
		for i := range min(len(old), len(fresh)) {
			if old[i].Path != fresh[i].Path {
				place[[2]string{key, old[i].Path}] = fresh[i].Path
			}
		}
	}
	if len(place) == 0 {
		return meta
	}
	meta.Files = slices.Clone(meta.Files)
	for i, f := range meta.Files {
		if to, moved := place[[2]string{f.Key, f.Path}]; moved {
			meta.Files[i].Path = to
			continue
		}
		key, imported := strings.CutSuffix(f.Key, alsoRead)
		for at, to := range place {
			if inside, err := filepath.Rel(filepath.Dir(at[1]), f.Path); imported && at[0] == key && err == nil && filepath.IsLocal(inside) {
				meta.Files[i].Path = filepath.Join(filepath.Dir(to), inside)
			}
		}
	}
	bases := now.Bases()
	meta.Bases = slices.Clone(meta.Bases)
	for i, b := range meta.Bases {
		if len(b.Agents) > 0 && b.Agents[0] <= len(bases) {
			meta.Bases[i].Name = bases[b.Agents[0]-1]
		}
	}
	return meta
}

// Needs says whether something that a recipe names has to be there for what is done; nil: everything has.
type Needs func(keys.Named) bool

// Gone refuses a run in dir where something that is needed is no longer there, of what it has recorded in meta.
func Gone(dir string, meta runs.Meta, r *recipe.Recipe, needs Needs) error {
	var keys, lines []string
	add := func(key, path string) {
		lines = append(lines, fmt.Sprintf("  %s: %s", key, path))
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for _, n := range onDisk(r) {
		switch {
		case needs != nil && !needs(n):
		case n.Kind == "data":
			if _, ok := dataset.Locate(n.Path, model.CacheRoot()); !ok {
				add(n.Key, n.Path)
			}
		case grows(n.Key), !filepath.IsAbs(n.Path), isThere(n.Path):
		case n.Kind == "model", slices.ContainsFunc(meta.Files, func(f runs.File) bool { return f.Key == n.Key && f.Path == n.Path }):
			add(n.Key, n.Path)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return usererror.Errorf("%s needs what is no longer there:\n%s\nSay where it is now: --set %s=PATH. Its content is compared with what the run recorded", dir, strings.Join(lines, "\n"), strings.Join(keys, "=PATH --set "))
}

// Elsewhere refuses to go on with a run in dir that another release or processor has computed, or that needs what is gone, as far as that is seen
// without opening what it reads.
func Elsewhere(ctx context.Context, dir string, was runs.Meta, r *recipe.Recipe, backend lineup.Backend, version string) error {
	computed := runs.Meta{Parley: was.Parley, Kernels: was.Kernels}
	if was.Worker != "" || was.Cluster != nil {
		computed.Kernels = "" // what a worker or a server computes with, it says when it is asked
	}
	list, err := Changes(ctx, computed, OfRecipe(r, backend, version))
	if err == nil && len(list) > 0 {
		err = Refuse(dir, list)
	}
	if err != nil {
		return err
	}
	moved, err := Moved(dir, was, r, nil)
	if err != nil {
		return err
	}
	return Gone(dir, Recorded(was, r, moved), moved, nil)
}

// Speaks says that a team needs what a key names to speak: its bases, and what agents have of their own.
func Speaks(n keys.Named) bool {
	return n.Key == "model" || n.Key == "models" || strings.HasPrefix(n.Key, "team.agents.") || strings.HasPrefix(n.Key, "team.tools.")
}

// Plays is [Speaks] with what says what answers are worth.
func Plays(n keys.Named) bool {
	return Speaks(n) || n.Kind != "data" && (strings.HasPrefix(n.Key, "reward.") || strings.HasPrefix(n.Key, "task."))
}

// Unchecked are notes about files that a run has not recorded, so that it is not known whether they are the same. was is its recipe, now
// that of today.
func Unchecked(dir string, meta runs.Meta, was, now *recipe.Recipe) (notes []string) {
	old := was.NamedFiles()
	for _, n := range now.NamedFiles() {
		known := slices.ContainsFunc(meta.Files, func(f runs.File) bool { return f.Key == n.Key && f.Path == n.Path })
		if !known && n.Kind != "model" && !slices.Contains(old, n) && filepath.IsAbs(n.Path) {
			notes = append(notes, fmt.Sprintf("%s recorded no hash of %s: whether %s is the same cannot be checked", dir, n.Key, n.Path))
		}
	}
	return notes
}

// Relocate records where the files of a run are now, and on which device it computes, if that is elsewhere than its recipe said.
func Relocate(run *runs.Run, was, now *recipe.Recipe) error {
	if slices.Equal(onDisk(was), onDisk(now)) && reflect.DeepEqual(was.Engine.Torch, now.Engine.Torch) {
		return nil
	}
	meta := Recorded(run.Meta(), was, now)
	folder, err := filepath.Abs(run.Dir())
	if err != nil {
		return fmt.Errorf("record where the run is: %w", err)
	}
	return run.Amend(func(m *runs.Meta) {
		m.Recipe, m.Files, m.Bases, m.Folder = string(now.YAML()), meta.Files, meta.Bases, folder
	})
}
