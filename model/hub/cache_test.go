package hub

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestReplace: where links cannot be made a copy takes their place; a copy that fails leaves what was there.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	from, name := filepath.Join(dir, "blob"), filepath.Join(dir, "snapshots", "a", "file")
	if err := os.WriteFile(from, []byte("contents"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := replace(name, func(tmp string) error { return copyFile(tmp, from) }); err != nil {
		t.Fatal(err)
	}
	err := replace(name, func(tmp string) error { return copyFile(tmp, from+"-missing") })
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if data, err := os.ReadFile(name); err != nil || string(data) != "contents" {
		t.Errorf("%q, %v", data, err)
	}
	if list, err := os.ReadDir(filepath.Dir(name)); err != nil || len(list) != 1 {
		t.Errorf("left behind: %v, %v", list, err)
	}
}

// TestPartTooLong: an incomplete file with more bytes than the file has is not the beginning of it.
func TestPartTooLong(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.incomplete")
	if err := os.WriteFile(name, []byte("far too long"), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := openPart(name, &File{Bytes: 3, Checksum: sha256Of([]byte("abc"))})
	if err != nil || p.n != 0 {
		t.Fatalf("%+v, %v", p, err)
	}
	if _, err := p.Write([]byte("abc")); err != nil {
		t.Fatal(err)
	}
	if err := p.finish(name[:len(name)-len(".incomplete")]); err != nil {
		t.Error(err)
	}
}
