package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/folder"
)

// WriteJSON is WriteFile of v as indented JSON with its checksum: the last field of an object, a file of its own beside anything else.
func (s *Store) WriteJSON(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return s.writeSealed(name, append(data, '\n'))
}

// WriteCompact is WriteJSON without indentation.
func (s *Store) WriteCompact(name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return s.writeSealed(name, data)
}

// sumSuffix ends the name of the file with the checksum of one that is no object.
const sumSuffix = ".sha256"

func (s *Store) writeSealed(name string, data []byte) error {
	if data[0] != '{' {
		return s.writeSummed(name, data)
	}
	sealed, err := folder.Seal(data)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return s.WriteFile(name, sealed)
}

// writeSummed writes the checksum before the file: until the file is there, that of its old content counts too.
func (s *Store) writeSummed(name string, data []byte) error {
	sums := []string{SumOf(data)}
	if old, err := s.Folder.ReadFile(name); err == nil {
		sums = append(sums, SumOf(old))
	}
	if err := s.WriteFile(name+sumSuffix, []byte(strings.Join(sums, "\n")+"\n")); err != nil {
		return err
	}
	return s.WriteFile(name, data)
}

// ReadSealed reads a file that [Run.WriteJSON] wrote into the run in dir, or an earlier release, into v. One that is another than was written
// wraps [folder.ErrDamaged].
func ReadSealed(dir, name string, v any) error {
	data, err := folder.ReadFile(dir, name)
	if err != nil {
		return err
	}
	if err = json.Unmarshal(data, v); err != nil {
		err = fmt.Errorf("%w (%v)", folder.ErrDamaged, err)
	} else if bytes.HasPrefix(data, []byte("{")) {
		err = folder.CheckSeal(data)
	} else if sums, e := folder.ReadFile(dir, name+sumSuffix); e == nil && !slices.Contains(strings.Fields(string(sums)), SumOf(data)) {
		err = folder.ErrDamaged
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(dir, filepath.FromSlash(name)), err)
	}
	return nil
}
