package folder

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestFolder checks that a folder is there whole, or neither it nor anything beside it.
func TestFolder(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "new")
	dir := filepath.Join(parent, "folder")
	full := errors.New("no space left")
	fill := func(err error) func(string) error {
		return func(tmp string) error {
			if e := WriteFile(filepath.Join(tmp, "file"), []byte("text")); e != nil {
				return e
			}
			return err
		}
	}
	if err := Whole(dir, fill(full)); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) != 0 {
		t.Errorf("a failed write left %v (%v)", left, err)
	}
	if err := Whole(dir, fill(nil)); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || string(text) != "text" {
		t.Errorf("file holds %q (%v)", text, err)
	}
	if left, _ := os.ReadDir(parent); len(left) != 1 {
		t.Errorf("beside the folder: %v", left)
	}
	if err := Whole(dir, fill(nil)); err == nil {
		t.Error("a folder was replaced")
	}
}
