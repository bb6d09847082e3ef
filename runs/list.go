package runs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// A State says how far a run is.
type State string

const (
	Running     State = "running"     // a process is writing to it
	Finished    State = "finished"    // it has a report
	Interrupted State = "interrupted" // neither: it can be resumed
)

// A Summary is one run in a list of runs.
type Summary struct {
	Name    string  `json:"name"` // of the folder
	Dir     string  `json:"dir"`
	Recipe  string  `json:"recipe"`
	Seed    int     `json:"seed"`
	State   State   `json:"state"`
	Updates int     `json:"updates"` // with a line in metrics.jsonl
	Report  *Report `json:"report,omitempty"`
	Created string  `json:"created"` // RFC 3339
}

// Summarise looks at the run in dir.
func Summarise(dir string) (Summary, error) {
	meta, err := Read(dir)
	if err != nil {
		return Summary{}, err
	}
	s := Summary{Name: filepath.Base(dir), Dir: dir, Recipe: meta.Name, Seed: meta.Seed, State: Interrupted, Created: meta.Created.Format(time.RFC3339)}
	err = ReadLines(dir, "metrics.jsonl", func(line []byte) error {
		s.Updates, _ = updateOf(line)
		return nil
	})
	if err != nil {
		return s, err
	}
	report, err := ReadReport(dir)
	switch {
	case err == nil:
		s.State, s.Report = Finished, &report
	case !errors.Is(err, os.ErrNotExist):
		return s, err
	}
	if Locked(dir) {
		s.State = Running
	}
	return s, nil
}

// List summarises the runs under root in the order of their names. Folders that are not runs are left out; a root that does
// not exist has none.
func List(root string) ([]Summary, error) {
	entries, err := os.ReadDir(root)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	var list []Summary
	for _, e := range entries {
		if s, err := Summarise(filepath.Join(root, e.Name())); err == nil {
			list = append(list, s)
		}
	}
	return list, nil
}

// Remove deletes the run in dir, unless a process is writing to it.
func Remove(dir string) error {
	r, err := Open(dir)
	if err != nil {
		return err
	}
	if err := r.Close(); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove run: %w", err)
	}
	return nil
}
