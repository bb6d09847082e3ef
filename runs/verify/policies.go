package verify

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"parley/runs"
	"parley/runs/store"
)

// Saved is where policies of a run are, a folder each.
type Saved struct {
	Dir      string
	Update   int // after which they are what they are
	Policies []string
	Notes    []string // about checkpoints that cannot be used
}

// A NoCheckpointError says that a run has no checkpoint of an update, or none at all.
type NoCheckpointError struct {
	Dir    string
	Update int   // 0: of any
	Have   []int // of which updates it has some, newest first
}

func (e *NoCheckpointError) Error() string {
	if e.Update == 0 {
		return e.Dir + " has no checkpoint"
	}
	return fmt.Sprintf("%s has no checkpoint of update %d: it has those of updates %v", e.Dir, e.Update, e.Have)
}

// PoliciesOf finds the policies of the run in dir after an update; 0: the newest that there are. Those that were exported with a report count
// where no checkpoint has them. A damaged checkpoint is an error if it is asked for, and else the one before
// is taken.
func PoliciesOf(dir string, update int) (Saved, error) {
	s, err := runs.Summarise(dir)
	if err != nil {
		return Saved{}, err
	}
	list, err := runs.Checkpoints(dir)
	if err != nil {
		return Saved{}, err
	}
	var notes []string
	for _, n := range list {
		if update != 0 && n != update {
			continue
		}
		from := runs.CheckpointDir(dir, n)
		damage := damagedCheckpoint(from)
		if damage == nil {
			return savedIn(from, n, notes)
		}
		if update != 0 {
			return Saved{}, fmt.Errorf("the checkpoint of update %d cannot be used: %w", n, damage)
		}
		notes = append(notes, fmt.Sprintf("the checkpoint of update %d cannot be used (%v); taking the one before", n, damage))
	}
	if s.Report != nil && (update == 0 || update == s.Report.Updates) {
		if saved, err := savedIn(filepath.Join(dir, "adapters"), s.Report.Updates, notes); !errors.Is(err, fs.ErrNotExist) {
			return saved, err
		}
	}
	return Saved{}, &NoCheckpointError{Dir: dir, Update: update, Have: list}
}

// savedIn lists the policies in a folder.
func savedIn(dir string, update int, notes []string) (Saved, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return Saved{}, fmt.Errorf("read policies: %w", err)
	}
	s := Saved{Dir: dir, Update: update, Notes: notes}
	for _, e := range entries {
		if e.IsDir() {
			s.Policies = append(s.Policies, e.Name())
		}
	}
	return s, nil
}

// damagedCheckpoint says what is wrong with the checkpoint in a folder.
func damagedCheckpoint(dir string) error {
	_, err := store.ReadManifest(dir)
	return err
}
