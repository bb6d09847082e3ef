package folder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTakeWritesNothingOfOthers: a link is refused, and a file with something else in it is locked but stays as it is.
func TestTakeWritesNothingOfOthers(t *testing.T) {
	dir := t.TempDir()
	theirs, lock := filepath.Join(dir, "theirs"), filepath.Join(dir, "lock")
	if err := os.WriteFile(theirs, []byte("thesis"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(theirs, lock); err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(lock); err == nil || !strings.Contains(err.Error(), "is a link") {
		t.Errorf("a link: %v", err)
	}
	for _, text := range []string{"thesis", "", "12\n", "\x00\x00"} {
		if err := os.WriteFile(theirs, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := Lock(theirs)
		if err != nil {
			t.Fatal(err)
		}
		data, _ := os.ReadFile(theirs)
		if kept := string(data) == text; kept != (text == "thesis") {
			t.Errorf("%q became %q", text, data)
		}
		f.Close()
	}
}
