package record

import (
	"os"
	"path/filepath"
	"testing"
)

// TestHarnessLog: a log has a bound however often a run goes on, and what is no file is left alone.
func TestHarnessLog(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "harness.log")
	for range 3 {
		_, err := HarnessLog{dir}.Write(make([]byte, longestLog/2+1))
		if err != nil {
			t.Error(err)
		}
	}
	if there, err := os.Stat(file); err != nil || there.Size() != longestLog {
		t.Errorf("%v, %v", there, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := (HarnessLog{dir}).Write([]byte("x")); err == nil {
		t.Error("a folder is written to")
	}
}
