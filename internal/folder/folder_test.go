package folder

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open returns a folder and another one outside of it, in which is a file.
func open(t *testing.T) (f *Folder, outside string) {
	t.Helper()
	f, err := Open(t.TempDir())
	must(t, err)
	t.Cleanup(func() { f.Close() })
	outside = t.TempDir()
	must(t, os.WriteFile(filepath.Join(outside, "theirs"), []byte("theirs"), 0o644))
	return f, outside
}

// TestLinksAreNotFollowed tries everything that a folder can do over links, to a file, to a folder, to nothing and within: what is outside stays
// as it was, and nothing of it is read.
func TestLinksAreNotFollowed(t *testing.T) {
	f, outside := open(t)
	file := filepath.Join(outside, "theirs")
	for name, to := range map[string]string{"file": file, "dir": outside, "nothing": filepath.Join(outside, "new"), "up": "../" + filepath.Base(outside), "self": "plain"} {
		must(t, os.Symlink(to, f.Path(name)))
	}
	must(t, os.WriteFile(f.Path("plain"), []byte("plain"), 0o644))
	for _, name := range []string{"file", "nothing", "self", "dir/theirs", "dir/new", "dir/a/b", "up/theirs"} {
		var strange *StrangeError
		for what, do := range map[string]func() error{
			"append":   func() error { _, err := f.Append(name); return err },
			"truncate": func() error { return f.Truncate(name, 0) },
			"read":     func() error { _, err := f.ReadFile(name); return err },
			"make":     func() error { return f.Make(name) },
			"list":     func() error { _, err := f.List(name); return err },
			"check":    func() error { return f.Check(name) },
		} {
			if err := do(); !errors.As(err, &strange) || !strings.Contains(err.Error(), "is a link") {
				t.Errorf("%s of %s: %v", what, name, err)
			}
		}
		if strings.Contains(name, "/") {
			for what, err := range map[string]error{"remove": f.Remove(name), "remove all": f.RemoveAll(name), "rename": f.Rename("plain", name)} {
				if !errors.As(err, &strange) {
					t.Errorf("%s of %s: %v", what, name, err)
				}
			}
		}
	}
	for _, name := range []string{"file", "nothing"} { // a new file takes the place of the link
		w, err := f.Create(name)
		must(t, err)
		_, err = w.WriteString("ours")
		must(t, errors.Join(err, w.Close()))
	}
	must(t, f.RemoveAll("dir"))
	entries, err := os.ReadDir(outside)
	data, readErr := os.ReadFile(file)
	if err != nil || readErr != nil || len(entries) != 1 || string(data) != "theirs" {
		t.Errorf("outside are %v, %v; the file holds %q, %v", entries, err, data, readErr)
	}
}

// TestHardLinks: a file with a second name is copied before it is added to or cut.
func TestHardLinks(t *testing.T) {
	f, outside := open(t)
	file := filepath.Join(outside, "theirs")
	if err := os.Link(file, f.Path("a")); err != nil {
		t.Logf("this system has no hard links: %v", err)
		return
	}
	w, err := f.Append("a")
	must(t, err)
	_, err = w.WriteString(" and ours")
	must(t, errors.Join(err, w.Close()))
	must(t, os.Link(file, f.Path("b")))
	must(t, f.Truncate("b", 0))
	a, err := f.ReadFile("a")
	must(t, err)
	data, err := os.ReadFile(file)
	must(t, err)
	if string(a) != "theirs and ours" || string(data) != "theirs" {
		t.Errorf("ours holds %q, theirs %q", a, data)
	}
}

// TestReplaceKeepsStrangers: what parley did not write into a folder that is replaced is still there.
func TestReplaceKeepsStrangers(t *testing.T) {
	f, _ := open(t)
	for name, text := range map[string]string{"a/weights": "old", "a/sub/notes": "theirs", "new/weights": "new", ".unfinished-old-a/notes": "left", ".unfinished-old-a/weights": "older"} {
		must(t, os.MkdirAll(filepath.Dir(f.Path(name)), 0o755))
		must(t, os.WriteFile(f.Path(name), []byte(text), 0o644))
	}
	must(t, f.Replace("a", "new", func(name string) bool { return name == "weights" }, f.Rename))
	for name, want := range map[string]string{"a/weights": "new", "a/sub/notes": "theirs", "a/notes": "left"} {
		if data, err := f.ReadFile(name); string(data) != want {
			t.Errorf("%s holds %q, %v; want %q", name, data, err, want)
		}
	}
	if list, err := f.List("."); err != nil || len(list) != 1 {
		t.Errorf("left are %v, %v", list, err)
	}
}

// TestLines: what is no record counts, but for empty lines and a last one that is being written; a last record without an end is one.
// TestLong: a file that is longer than any of its kind is an error, whatever it takes on the disk.
func TestLong(t *testing.T) {
	f, _ := open(t)
	must(t, os.WriteFile(f.Path("long"), []byte("{}"), 0o644))
	must(t, os.Truncate(f.Path("long"), longest+1))
	if data, err := f.ReadFile("long"); !errors.Is(err, ErrLong) || data != nil {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}

func TestLines(t *testing.T) {
	for data, want := range map[string][2]int{"": {}, "a\nb\n": {2, 0}, "a\n\n \nbad\nb": {2, 1}, "bad\nbad\nbad": {0, 2}} {
		records := 0
		damaged := Lines([]byte(data), func(line []byte) bool {
			if string(line) == "bad" {
				return false
			}
			records++
			return true
		})
		if records != want[0] || damaged != want[1] {
			t.Errorf("%q has %d records and %d damaged lines", data, records, damaged)
		}
	}
}
