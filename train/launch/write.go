package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A TakenError names files that are there already.
type TakenError struct{ Names []string }

func (e *TakenError) Error() string {
	return fmt.Sprintf("%s: there already, and nothing was written", strings.Join(e.Names, ", "))
}

// Write puts files into a folder, which it makes. It spares what is there: unless replace is set, one file in the way is an error, and nothing is
// written. It returns where they are.
func Write(dir string, files Files, replace bool) ([]string, error) {
	var paths, taken []string
	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		paths = append(paths, path)
		if _, err := os.Lstat(path); err == nil {
			taken = append(taken, path)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("write files of a cluster: %w", err)
		}
	}
	if len(taken) > 0 && !replace {
		return nil, &TakenError{slices.Compact(taken)}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("write files of a cluster: %w", err)
	}
	for i, f := range files {
		if err := writeFile(paths[i], f.Text, replace); err != nil {
			return nil, fmt.Errorf("write files of a cluster: %w", err)
		}
	}
	return paths, nil
}

// writeFile writes a file. Unless replace is set, it is an error if the file exists, also if it was made in the
// meantime.
func writeFile(path, text string, replace bool) error {
	if replace {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
