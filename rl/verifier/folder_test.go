package verifier

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"parley/task"
)

// trained is a verifier of the lessons.
func trained(t *testing.T) *Trained {
	t.Helper()
	b, s := tiny(t), PaperSettings()
	s.Adam.LR = 1e-2
	if _, err := Train(t.Context(), b, "v", lessons(), s, func(Progress) {}); err != nil {
		t.Fatal(err)
	}
	return &Trained{b, "v"}
}

func answersOf(solutions []Solution) (out []Answer) {
	for _, s := range solutions {
		out = append(out, Answer{s.Problem, s.Shown})
	}
	return out
}

// TestVerifierFolder: a verifier that was written and loaded, on an engine of its own and under another name, gives the same scores.
func TestVerifierFolder(t *testing.T) {
	v, dir := trained(t), filepath.Join(t.TempDir(), "verifier")
	m := Manifest{
		Origin: Origin{Recipe: "r", SHA256: "h", Parley: "test"}, Settings: PaperSettings(), Seen: []Key{KeyOf(lessons()[0].Problem)}, Trained: 6,
		Validation: &Measure{Accuracy: 0.5},
	}
	if err := v.Write(t.Context(), dir, m, map[string][]byte{"curve.png": []byte("png")}); err != nil {
		t.Fatal(err)
	}
	if back, err := Read(dir); err != nil || !reflect.DeepEqual(back, m) {
		t.Errorf("%+v, %v", back, err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "curve.png")); string(data) != "png" {
		t.Errorf("the picture holds %q, %v", data, err)
	}
	again, err := Load(t.Context(), dir, tiny(t), "other")
	if err != nil {
		t.Fatal(err)
	}
	want, err := v.Score(t.Context(), answersOf(lessons()))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := again.Score(t.Context(), answersOf(lessons())); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("scores %v, want %v; %v", got, want, err)
	}
	if err := v.Write(t.Context(), dir, m, nil); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("the folder was overwritten: %v", err)
	}
}

// TestDamagedFolders: what is wrong with a folder is an error that names the folder or the file.
func TestDamagedFolders(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wantError := func(err error, parts ...string) {
		t.Helper()
		for _, part := range append(parts, dir) {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("error %v, want one with %q", err, part)
			}
		}
	}
	_, err := Read(dir)
	wantError(err, manifestFile)
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no verifier at all: %v", err)
	}
	write(manifestFile, `{"seen": [`)
	_, err = Read(dir)
	wantError(err, manifestFile)
	_, _, err = ReadData(dir)
	wantError(err, manifestFile)
	write(manifestFile, `{"seen": ["a"]}`)
	_, _, err = ReadData(dir)
	wantError(err, "verifier data")
	_, err = Load(t.Context(), dir, tiny(t), "v")
	wantError(err, "load the verifier of")
	write(manifestFile, `{"questions": 3}`)
	_, _, err = ReadData(dir)
	wantError(err, solutionsFile)
	write(solutionsFile, `{"problem":{"question":"q"},"shown":"a"}`+"\n\n"+`{"problem":{"question":"q"},"sho`)
	_, _, err = ReadData(dir)
	wantError(err, solutionsFile, "line 3")
	write(solutionsFile, `{"problem":{},"shown":"a"}`)
	_, _, err = ReadData(dir)
	wantError(err, solutionsFile, "line 1", "needs its problem")
}

// TestDamagedState: training whose state cannot be read does not begin again, silently.
func TestDamagedState(t *testing.T) {
	s := PaperSettings()
	for name, damage := range map[string]func(dir string) error{
		"half a state":    func(dir string) error { return os.WriteFile(filepath.Join(dir, stateFile), []byte(`{"step":`), 0o600) },
		"no state":        func(dir string) error { return os.Remove(filepath.Join(dir, stateFile)) },
		"no adapter":      func(dir string) error { return os.RemoveAll(filepath.Join(dir, adapterFolder)) },
		"an empty folder": func(dir string) error { return errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)) },
	} {
		kept := Checkpoints{Dir: filepath.Join(t.TempDir(), "v.training"), Every: 1}
		if _, _, err := taught(t, s, kept, 2); err == nil {
			t.Fatal("it was not interrupted")
		}
		found, err := kept.states()
		if err != nil || len(found) != 1 {
			t.Fatalf("%v, %v", found, err)
		}
		if err := damage(found[0]); err != nil {
			t.Fatal(err)
		}
		if _, steps, err := taught(t, s, kept, 0); err == nil || len(steps) > 0 || !strings.Contains(err.Error(), found[0]) {
			t.Errorf("%s: steps %v, %v", name, steps, err)
		}
	}
}

// TestStatesInAnyFolder: the name of a folder is no pattern.
func TestStatesInAnyFolder(t *testing.T) {
	s := PaperSettings()
	for _, name := range []string{"v[1]", "v*", `v\?`} {
		kept := Checkpoints{Dir: filepath.Join(t.TempDir(), name), Every: 1}
		if _, _, err := taught(t, s, kept, 2); err == nil {
			t.Fatal("it was not interrupted")
		}
		if _, steps, err := taught(t, s, kept, 0); err != nil || !reflect.DeepEqual(steps, []int{3}) {
			t.Errorf("%s: steps %v, %v", name, steps, err)
		}
	}
}

// TestMeasure: a verifier is measured on more solutions than go to the engine together, each with its own label.
func TestMeasure(t *testing.T) {
	v := trained(t)
	var solutions []Solution
	for i := range atOnce + 20 {
		text := lessons()[i%6].Shown
		solutions = append(solutions, Solution{Problem: task.Problem{Question: fmt.Sprintf("q%d", i/100)}, Shown: text, Right: text[0] == 'x'})
	}
	got, err := v.Measure(t.Context(), solutions)
	if err != nil {
		t.Fatal(err)
	}
	var prefixes [][]float64
	var labels []bool
	for _, s := range solutions {
		one, err := v.Prefixes(t.Context(), answersOf([]Solution{s}))
		if err != nil {
			t.Fatal(err)
		}
		prefixes, labels = append(prefixes, one...), append(labels, s.Right)
	}
	want := Compare(prefixes, labels)
	want.Questions = 6
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	long := Solution{Problem: task.Problem{Question: "q"}, Shown: strings.Repeat("x", v.Base.Context)}
	if _, err := v.Measure(t.Context(), append(solutions[:1:1], long)); err == nil || !strings.Contains(err.Error(), "the base's context 512") {
		t.Errorf("a solution that does not fit: %v", err)
	}
}

// TestScoresOfSome: an answer that cannot be scored takes nothing from the others.
func TestScoresOfSome(t *testing.T) {
	v := trained(t)
	good := answersOf(lessons()[:2])
	want, err := v.Score(t.Context(), good)
	if err != nil {
		t.Fatal(err)
	}
	long, empty := Answer{good[0].Problem, strings.Repeat("x", 600)}, Answer{good[0].Problem, ""}
	got, err := v.Score(t.Context(), []Answer{long, good[0], empty, good[1]})
	if err != nil || len(got) != 4 || got[1] != want[0] || got[3] != want[1] {
		t.Fatalf("scores %v, want %v between two without; %v", got, want, err)
	}
	if got[0].Err == nil || !strings.Contains(got[0].Err.Error(), "512") {
		t.Errorf("an answer that does not fit: %+v, want an error with its length", got[0])
	}
	if got[2] != (Score{}) {
		t.Errorf("an answer without text: %+v, want 0: it is wrong for certain", got[2])
	}
}
