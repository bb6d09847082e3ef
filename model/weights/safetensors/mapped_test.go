package safetensors

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOpen(t *testing.T) {
	for _, content := range []string{"", "x", "some bytes"} {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Map(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(f.Data) != content {
			t.Errorf("got %q, want %q", f.Data, content)
		}
		for range 2 {
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
		if f.Data != nil {
			t.Error("data still there after Close")
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	if _, err := Map(t.TempDir()); err == nil {
		t.Error("a folder was opened")
	}
	if _, err := Map(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Errorf("got %v, want not exist", err)
	}
}
