package runs

import (
	"errors"
	"fmt"
	"io/fs"

	"parley/internal/folder"
	"parley/runs/store"
)

// UpdateOf reads the field "update" of a JSON object; ok is false when data is no complete object or has no such field.
func UpdateOf(data []byte) (update int, ok bool) { return store.UpdateOf(data) }

// ReadLines calls each with every whole line of a .jsonl file of the run in dir, without its line break. A run that has no
// such file yet has no lines. It needs no lock: a line that is being written is left out.
func ReadLines(dir, name string, each func(line []byte) error) error {
	data, err := folder.ReadFile(dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read run: %w", err)
	}
	_, _, err = store.EachWhole(data, each)
	return err
}

// ReadSealed reads a file that [Run.WriteJSON] wrote into the run in dir, or an earlier release, into v. One that is another than was written
// wraps [seal.ErrDamaged].
func ReadSealed(dir, name string, v any) error { return store.ReadSealed(dir, name, v) }

// A WriteError says what could not be written to a run.
type WriteError = store.WriteError
