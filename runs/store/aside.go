package store

import (
	"errors"
	"fmt"
	"io/fs"
)

// KeepAside copies a damaged file and says where to.
func (s *Store) KeepAside(name string) (note string, err error) {
	data, err := s.Folder.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read run: %w", err)
	}
	to, err := s.FreeName(name)
	if err != nil {
		return "", err
	}
	return "; it is kept as " + to, s.WriteFile(to, data)
}

// FreeName is a name for a damaged file or folder.
func (s *Store) FreeName(name string) (string, error) {
	for n := 1; ; n++ {
		to := name + ".damaged"
		if n > 1 {
			to += fmt.Sprintf("-%d", n)
		}
		_, err := s.Folder.Stat(to)
		if errors.Is(err, fs.ErrNotExist) {
			return to, nil
		}
		if err != nil {
			return "", err
		}
	}
}

// ReplaceDamaged puts what is left of a file in its place, and keeps the damaged one.
func (s *Store) ReplaceDamaged(name string, left []byte) (note string, err error) {
	kept, err := s.KeepAside(name)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s was damaged%s", name, kept), s.WriteFile(name, left)
}
