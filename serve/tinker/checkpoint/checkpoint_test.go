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

// TestKilledWhileReplacing: a server that ends after the old checkpoint was moved aside, and before the new one has its name, has lost neither to the next;
// once the new one is in its place, it stays. Files in the folder that are of no server stay too.
func TestKilledWhileReplacing(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	a := About{Run: run, Kind: Training, Name: "a", Made: time.Now()}
	if _, err := s.Save(a, false, policy("old")); err != nil {
		t.Fatal(err)
	}
	_, at, err := s.Find(run, Training, "a")
	if err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(dir, "passing", "thesis.tex")
	if err := os.WriteFile(foreign, []byte("years"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, newer := range []string{"", "new"} {
		draft, err := s.draft(policy("half"), true)
		if err == nil {
			err = os.Rename(at, filepath.Join(filepath.Dir(draft), replaced))
		}
		if err == nil && newer != "" {
			_, err = s.Save(a, false, policy(newer))
		}
		if err = errors.Join(err, s.Close()); err != nil {
			t.Fatal(err)
		}
		s = open(t, dir)
		_, found, err := s.Find(run, Training, "a")
		if want := map[string]string{"": "old", "new": "new"}[newer]; err != nil || found != at || content(t, found) != want {
			t.Errorf("after a crash, %q of newer: %v at %s", newer, err, found)
		}
		if left, _ := os.ReadDir(filepath.Join(dir, "passing")); len(left) != 1 {
			t.Errorf("left: %v", left)
		}
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Error(err)
	}
}

// TestPlaceFails: where the new checkpoint cannot have its name, the old one has it again.
func TestPlaceFails(t *testing.T) {
	s := open(t, t.TempDir())
	a := About{Run: run, Kind: Training, Name: "a", Made: time.Now()}
	if _, err := s.Save(a, false, policy("old")); err != nil {
		t.Fatal(err)
	}
	_, at, err := s.Find(run, Training, "a")
	if err != nil {
		t.Fatal(err)
	}
	parent := filepath.Join(s.passing(), draftName+"1")
	if err := os.Mkdir(parent, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := s.place(filepath.Join(parent, "missing"), at); err == nil {
		t.Error("what is not there has a name")
	}
	if content(t, at) != "old" {
		t.Error("the old checkpoint is gone")
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
