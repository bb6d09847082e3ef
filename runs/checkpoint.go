package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"

	"parley/internal/folder"
	"parley/runs/store"
)

// CheckpointDir is the folder of the checkpoint of the run in dir after update.
func CheckpointDir(dir string, update int) string {
	return filepath.Join(dir, "checkpoints", checkpointName(update))
}

func checkpointName(update int) string { return fmt.Sprintf("%06d", update) }

// inCheckpoints is the path in the run of something in the folder of checkpoints.
func inCheckpoints(name string) string { return "checkpoints/" + name }

// Checkpoint saves everything that is needed to go on after update: state as JSON, and what save writes into the folder it
// is given. The checkpoint appears under its name only when all of it is on the disk, and so are the lines appended before.
// Then older checkpoints are removed, all but [Meta].Keep.
func (r *Run) Checkpoint(update int, state any, save func(dir string) error) error {
	name, temp := inCheckpoints(checkpointName(update)), inCheckpoints(store.TempPrefix+checkpointName(update))
	err := r.Refill(temp, func(dir string) error {
		return r.fillCheckpoint(temp, update, state, func() error { return save(dir) })
	})
	if err == nil {
		err = errors.Join(r.metrics.Sync(), r.sums.Sync(), r.timing.Sync(), r.trace.Sync())
	}
	if err == nil {
		err = r.ReplaceDir(name, temp)
	}
	if err != nil {
		_ = r.Folder.RemoveAll(temp) // what failed is told
		return r.Failed(name, err)
	}
	return r.prune(update)
}

// fillCheckpoint writes a whole checkpoint into a fresh folder.
func (r *Run) fillCheckpoint(name string, update int, state any, save func() error) error {
	if err := save(); err != nil {
		return err
	}
	data, err := json.Marshal(state)
	if err != nil {
		return fmt.Errorf("state: %w", err)
	}
	if err := r.WriteSynced(path.Join(name, "state.json"), store.Bytes(data)); err != nil {
		return err
	}
	if r.costs != nil {
		if err := r.WriteSynced(path.Join(name, costsFile), store.Bytes(r.costs)); err != nil {
			return err
		}
	}
	chain, err := r.lastChain()
	if err != nil {
		return err
	}
	return r.List(name, store.Manifest{Update: update, Chain: chain})
}

// Checkpoints lists the updates after which the run in dir has a checkpoint, whole or not, newest first.
func Checkpoints(dir string) ([]int, error) {
	entries, err := folder.List(dir, "checkpoints")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read run: %w", err)
	}
	var list []int
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && e.Name() == checkpointName(n) && e.IsDir() {
			list = append(list, n)
		}
	}
	sort.Sort(sort.Reverse(sort.IntSlice(list)))
	return list, nil
}

// prune removes old checkpoints, all but the newest ones up to update, and what writing one left unfinished. Files that parley did not
// write stay: those with other names, and a checkpoint with files that its manifest does not list. A damaged checkpoint stays too, so that
// its user can look what happened.
func (r *Run) prune(update int) error {
	list, err := Checkpoints(r.dir)
	if err != nil {
		return err
	}
	kept := 0
	for _, n := range list {
		if n <= update && kept < max(r.meta.Keep, 1) {
			kept++
			continue
		}
		if err := r.dropCheckpoint(n); err != nil {
			return fmt.Errorf("remove old checkpoint: %w", err)
		}
	}
	entries, err := r.Folder.List("checkpoints")
	if err != nil {
		return fmt.Errorf("read run: %w", err)
	}
	for _, e := range entries {
		if unfinished.MatchString(e.Name()) {
			if err := r.Folder.RemoveAll(inCheckpoints(e.Name())); err != nil {
				return fmt.Errorf("remove unfinished checkpoint: %w", err)
			}
		}
	}
	return nil
}

// unfinished are the names of folders that [Run.Checkpoint] and [Run.replaceDir] leave when their process ends.
var unfinished = regexp.MustCompile(`^\.unfinished-(old-)?[0-9]{6,}$`)

// dropCheckpoint removes a checkpoint, if all of it is known to be parley's.
func (r *Run) dropCheckpoint(update int) error {
	m, err := store.LoadManifest(CheckpointDir(r.dir, update))
	if err != nil {
		return r.setAside(update)
	}
	if found, err := m.Strangers(CheckpointDir(r.dir, update)); err != nil || found {
		return err
	}
	return r.Folder.RemoveAll(inCheckpoints(checkpointName(update)))
}

// setAside gives a damaged checkpoint another name.
func (r *Run) setAside(update int) error {
	to, err := r.FreeName(inCheckpoints(checkpointName(update)))
	if err != nil {
		return err
	}
	return r.Folder.Rename(inCheckpoints(checkpointName(update)), to)
}
