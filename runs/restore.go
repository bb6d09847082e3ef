package runs

import (
	"fmt"
	"os"
	"path/filepath"
)

// damagedSuffix marks a checkpoint that did not pass its checksums; the next good one removes it.
const damagedSuffix = ".damaged"

// Restore brings the run back to its newest good checkpoint: load is given the checkpoint's folder and its state, and
// whatever the run wrote after that checkpoint is cut off. A damaged checkpoint is set aside and the one before is taken;
// notes says so. It returns the update to go on after, -1 when there is no checkpoint and everything begins anew.
func (r *Run) Restore(load func(dir string, state []byte) error) (update int, notes []string, err error) {
	list, err := Checkpoints(r.dir)
	if err != nil {
		return -1, nil, err
	}
	update = -1
	for _, n := range list {
		dir := filepath.Join(r.checkpoints(), checkpointName(n))
		if _, damage := ReadManifest(dir); damage != nil {
			notes = append(notes, fmt.Sprintf("the checkpoint of update %d cannot be used (%v); taking the one before", n, damage))
			if err := setAside(dir); err != nil {
				return -1, notes, r.writeError("checkpoints", err)
			}
			continue
		}
		state, err := os.ReadFile(filepath.Join(dir, "state.json"))
		if err != nil {
			return -1, notes, fmt.Errorf("read checkpoint: %w", err)
		}
		if err := load(dir, state); err != nil {
			return -1, notes, fmt.Errorf("load checkpoint of update %d: %w", n, err)
		}
		update = n
		break
	}
	if len(list) > 0 && update < 0 {
		notes = append(notes, "no checkpoint is whole: starting again from the first update")
	}
	return update, notes, r.cut(max(update, 0))
}

func setAside(dir string) error {
	if err := os.RemoveAll(dir + damagedSuffix); err != nil {
		return err
	}
	return os.Rename(dir, dir+damagedSuffix)
}

// cut removes everything that belongs to updates after update.
func (r *Run) cut(update int) error {
	if err := r.metrics.cut(update); err != nil {
		return err
	}
	if err := r.cutSums(update); err != nil {
		return err
	}
	if err := r.timing.cut(update); err != nil {
		return err
	}
	if err := r.trace.cut(update); err != nil {
		return err
	}
	for _, f := range r.followers {
		f.Restored(update)
	}
	return r.dropEpisodes(update)
}
