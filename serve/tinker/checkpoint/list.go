package checkpoint

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Runs lists all runs, the newest first.
func (s *Store) Runs() ([]Run, error) {
	all, err := os.ReadDir(filepath.Join(s.dir, "runs"))
	var out []Run
	for _, f := range all {
		if r, err := read[Run](filepath.Join(s.dir, "runs", f.Name(), runFile)); err == nil {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b Run) int {
		if c := b.Made.Compare(a.Made); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out, err
}

// Of lists the checkpoints of a run, the oldest first.
func (s *Store) Of(run string) (out []About) {
	if !runName.MatchString(run) {
		return nil
	}
	now := time.Now()
	for _, kind := range []string{Training, Sampler, External} {
		all, _ := os.ReadDir(filepath.Join(s.folder(run), kind)) // a run that saved none has no folder
		for _, f := range all {
			if a, err := read[About](filepath.Join(s.folder(run), kind, f.Name(), aboutFile)); err == nil && !a.expired(now) {
				out = append(out, a)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b About) int { return a.Made.Compare(b.Made) })
	return out
}

// Change writes what is said of a checkpoint anew.
func (s *Store) Change(run, kind, name string, change func(*About)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, dir, err := s.Find(run, kind, name)
	if err != nil {
		return err
	}
	change(&a)
	return s.write(filepath.Join(dir, aboutFile), a)
}

// Delete removes a checkpoint.
func (s *Store) Delete(run, kind, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, dir, err := s.Find(run, kind, name)
	if err != nil {
		return err
	}
	return s.remove(dir)
}

// remove takes a folder's name away before its files.
func (s *Store) remove(dir string) error {
	tmp, err := os.MkdirTemp(s.passing(), "removed-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	return os.Rename(dir, filepath.Join(tmp, "removed"))
}

// Expire removes what is past its time.
func (s *Store) Expire(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, _ := filepath.Glob(filepath.Join(s.dir, "runs", "*", "*", "*", aboutFile))
	for _, path := range found {
		if a, err := read[About](path); err == nil && a.expired(now) {
			_ = s.remove(filepath.Dir(path)) // it is tried again
		}
	}
}
