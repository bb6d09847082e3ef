package scalars

import (
	"errors"
	"fmt"
	"io/fs"

	"parley/internal/folder"
	"parley/runs/store"
)

// metricsFile is the file of which a run needs every line.
const metricsFile = "metrics.jsonl"

// A CutError says that metrics.jsonl has more lines than can be read.
type CutError struct{ After int } // update

func (e *CutError) Error() string {
	return fmt.Sprintf("%s is damaged after update %d: lines behind it are not read", metricsFile, e.After)
}

// Lines calls each with every line of metrics.jsonl of the run in dir, as [runs.ReadLines] does. Where whole lines stand behind the last one
// that can be read it returns a [*CutError], after the lines before. The file is read once: its trainer may be adding to it.
func Lines(dir string, each func(line []byte) error) error {
	data, err := folder.ReadFile(dir, metricsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read run: %w", err)
	}
	last, cut, err := store.EachWhole(data, each)
	if err == nil && cut {
		return &CutError{last}
	}
	return err
}
