package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

const run = "s-1:train:0"

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// policy writes what an engine would.
func policy(text string) func(dir string) error {
	return func(dir string) error {
		err := os.Mkdir(dir, 0o700)
		for _, name := range []string{"adapter_model.safetensors", optimizerFile} {
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
		return err
	}
}

func content(t *testing.T, dir string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "adapter_model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestSave: a checkpoint is there once, replaced only where that is asked for, and what fails leaves nothing.
func TestSave(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	a := About{Run: run, Kind: Training, Name: "a", Made: time.Now()}
	if _, err := s.Save(a, false, policy("one")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Save(a, false, policy("two")); !errors.Is(err, ErrTaken) {
		t.Errorf("a name that is taken: %v", err)
	}
	_, at, err := s.Find(run, Training, "a")
	if err != nil || content(t, at) != "one" {
		t.Errorf("%v", err)
	}
	broken := errors.New("broken")
	if _, err := s.Save(a, true, func(dir string) error { return errors.Join(policy("half")(dir), broken) }); !errors.Is(err, broken) || content(t, at) != "one" {
		t.Errorf("a save that fails: %v", err)
	}
	if _, err := s.Save(a, true, policy("two")); err != nil || content(t, at) != "two" {
		t.Errorf("replaced: %v", err)
	}
	a.Kind = Sampler
	if _, err := s.Save(a, false, policy("three")); err != nil {
		t.Fatal(err)
	}
	if _, at, err := s.Find(run, Sampler, "a"); err != nil || content(t, at) != "three" {
		t.Error(err)
	} else if _, err := os.Stat(filepath.Join(at, optimizerFile)); err == nil {
		t.Error("what is sampled from has an optimizer")
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "passing")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	if n := len(s.Of(run)); n != 2 {
		t.Errorf("%d checkpoints", n)
	}
}

// TestLoad: without the optimizer there is the adapter alone, in a folder that goes again.
func TestLoad(t *testing.T) {
	s := open(t, t.TempDir())
	if _, err := s.Save(About{Run: run, Kind: Training, Name: "a"}, false, policy("x")); err != nil {
		t.Fatal(err)
	}
	_, at, err := s.Find(run, Training, "a")
	if err != nil {
		t.Fatal(err)
	}
	for _, optimizer := range []bool{true, false} {
		err := s.Load(at, optimizer, func(dir string) error {
			_, err := os.Stat(filepath.Join(dir, optimizerFile))
			if content(t, dir) != "x" || (err == nil) != optimizer {
				t.Errorf("with optimizer %v: %v", optimizer, err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestEnds: checkpoints end when they are deleted or their time is over.
func TestEnds(t *testing.T) {
	s := open(t, t.TempDir())
	past := time.Now().Add(-time.Minute)
	for _, a := range []About{{Name: "a"}, {Name: "b", Expires: &past}} {
		a.Run, a.Kind = run, Training
		if _, err := s.Save(a, false, policy("x")); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := s.Find(run, Training, "b"); !errors.Is(err, ErrMissing) {
		t.Errorf("behind its time: %v", err)
	}
	s.Expire(time.Now())
	if _, err := os.Stat(filepath.Join(s.folder(run), Training, "b")); err == nil {
		t.Error("it still takes room")
	}
	if err := s.Change(run, Training, "a", func(a *About) { a.Public = true }); err != nil || !s.Of(run)[0].Public {
		t.Error(err)
	}
	if err := errors.Join(s.Delete(run, Training, "a")); err != nil || len(s.Of(run)) != 0 {
		t.Error(err)
	}
	if err := s.Delete(run, Training, "a"); !errors.Is(err, ErrMissing) {
		t.Errorf("deleted twice: %v", err)
	}
}

// TestOneServer: a folder belongs to one server at a time.
func TestOneServer(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if other, err := Open(dir); err == nil {
		other.Close()
		t.Error("two servers have one folder")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
}

func FuzzParsePath(f *testing.F) {
	for _, seed := range []string{"tinker://s-1:train:0/weights/a", "tinker://../weights/a", "tinker://s-1:train:0/weights/..", "a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		run, kind, name, err := ParsePath(path)
		if err != nil {
			return
		}
		s := &Store{dir: "state"}
		at := filepath.Join(s.folder(run), kind, name)
		if filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(at)))) != "state" || (&About{Run: run, Kind: kind, Name: name}).Path() != path {
			t.Errorf("%q lies at %s", path, at)
		}
	})
}
