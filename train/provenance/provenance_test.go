package provenance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/recipe/language"
	"parley/runs"
)

const named = `name: x
task: {name: gsm8k, path: data}
team: {turns: 2, feedback: self}
reward: {source: user, user: {command: [python3, ask.py, --fast, ask]}}
algorithm: magrpo
`

// write makes a file in a folder that is there or not.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// filesIn hashes what a recipe in a folder names.
func filesIn(t *testing.T, dir, text string) []runs.File {
	t.Helper()
	write(t, filepath.Join(dir, "x.yaml"), text)
	r, err := language.New().Load(filepath.Join(dir, "x.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := Files(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestFilesInTime: hashing ends with its context.
func TestFilesInTime(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "ask.py"), "1")
	write(t, filepath.Join(dir, "data", "train.jsonl"), "a")
	write(t, filepath.Join(dir, "x.yaml"), named)
	r, err := language.New().Load(filepath.Join(dir, "x.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if files, err := Files(ctx, r); !errors.Is(err, context.Canceled) {
		t.Errorf("%d files are hashed, %v", len(files), err)
	}
}

// TestFiles: what a recipe names and is there is hashed, a data set by the files that count; a change of any byte or name is another hash.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for path, text := range map[string]string{
		"ask.py": "1", "data/train.jsonl": "a", "data/sub/test.jsonl": "b", "data/README": "c", "data/.hidden.jsonl": "d",
		"data/saved/state.json": `{"_data_files":[{"filename":"a.arrow"}]}`, "data/saved/a.arrow": "e", "data/saved/cache-1.arrow": "f",
	} {
		write(t, filepath.Join(dir, filepath.FromSlash(path)), text)
	}
	first := filesIn(t, dir, named)
	var keys []string
	for _, f := range first {
		keys = append(keys, f.Key+" "+filepath.Base(f.Path))
	}
	if want := []string{"task.path data", "reward.user.command ask.py"}; !slices.Equal(keys, want) {
		t.Fatalf("files %q, want %q", keys, want)
	}
	if want := "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b"; first[1].SHA256 != want { // sha256sum of "1"
		t.Errorf("hash %s, want %s", first[1].SHA256, want)
	}
	for _, same := range []string{"data/README", "data/.hidden.jsonl", "data/saved/cache-1.arrow"} {
		write(t, filepath.Join(dir, filepath.FromSlash(same)), "other")
		if got := filesIn(t, dir, named); !slices.Equal(got, first) {
			t.Errorf("%s changes the hash of the data", same)
		}
	}
	for _, changed := range []string{"data/sub/test.jsonl", "data/saved/a.arrow"} {
		before := filesIn(t, dir, named)
		write(t, filepath.Join(dir, filepath.FromSlash(changed)), "B")
		if got := filesIn(t, dir, named); got[0].SHA256 == before[0].SHA256 || got[1] != before[1] {
			t.Errorf("after a change of %s: %v, before %v", changed, got, before)
		}
	}
}

// TestFilesWithinCommands: of a command, what is started by another program is hashed too, with what it imports; what a line only writes is not.
func TestFilesWithinCommands(t *testing.T) {
	dir := t.TempDir()
	for path, text := range map[string]string{
		"ask.py": "import rules", "rules.py": "1", "pkg/__init__.py": "2", "pkg/__main__.py": "3", "pkg/part.py": "4", "log.txt": "5", "conf.json": "6", "run.sh": "7",
	} {
		write(t, filepath.Join(dir, filepath.FromSlash(path)), text)
	}
	t.Chdir(dir)
	for command, want := range map[string]string{
		"[python3, -m, ask]":                         "ask.py rules.py",
		"[python3, -m, pkg]":                         "pkg/__init__.py pkg/__main__.py",
		"[python3, -m, pkg.part]":                    "pkg/__init__.py pkg/part.py",
		"[sh, -c, 'exec python3 ask.py >> log.txt']": "ask.py rules.py",
		`[sh, -c, "cat 'conf.json' | ./run.sh"]`:     "conf.json run.sh",
		"[ask, --settings=conf.json, -x]":            "conf.json",
		"[ask, conf]":                                "",
	} {
		var got []string
		for _, f := range filesIn(t, dir, strings.Replace(named, "[python3, ask.py, --fast, ask]", command, 1)) {
			if inside, err := filepath.Rel(dir, f.Path); err == nil && strings.HasPrefix(f.Key, "reward.") {
				got = append(got, filepath.ToSlash(inside))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %s", command, got, want)
		}
	}
}

// TestChanges lists what is another, is gone or is new; versions that are not known are none.
func TestChanges(t *testing.T) {
	was := runs.Meta{
		Parley: "1", Kernels: "avx2", Bases: []runs.Base{{Name: "m", SHA256: "a"}},
		Files: []runs.File{{Key: "k", Path: "p", SHA256: "a"}, {Key: "k", Path: "q", SHA256: "b"}, {Key: "k", Path: "r", SHA256: "c"}},
	}
	now := runs.Meta{
		Parley: "2", Kernels: "generic", Bases: []runs.Base{{Name: "m", SHA256: "b"}},
		Files: []runs.File{{Key: "k", Path: "p", SHA256: "a"}, {Key: "k", Path: "q", SHA256: "B"}, {Key: "k", Path: "s", SHA256: "d"}},
	}
	list, err := Changes(t.Context(), was, now)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range list {
		got = append(got, c.String())
	}
	want := []string{"model m was a, now b", "k q was b, now B", "k r is gone", "k s is new", "parley was 1, now 2", "kernels was avx2, now generic"}
	if !slices.Equal(got, want) {
		t.Errorf("changes\n%q, want\n%q", got, want)
	}
	if err := Refuse("run", Read(list)); strings.Contains(err.Error(), "kernels") || !strings.Contains(err.Error(), "k r is gone") {
		t.Errorf("%v", err)
	}
	for _, same := range []runs.Meta{was, {Bases: was.Bases, Files: was.Files}} {
		if list, err := Changes(t.Context(), was, same); err != nil || len(list) > 0 {
			t.Errorf("nothing changed: %v, %v", list, err)
		}
	}
	if list, err := Changes(t.Context(), runs.Meta{}, now); err != nil || len(list) > 0 {
		t.Errorf("a run that recorded nothing: %v, %v", list, err)
	}
}

// TestRecording: a recording of an expert or of all servers may grow, and may not change.
func TestRecording(t *testing.T) {
	for name, text := range map[string]string{
		"expert":  "name: x\npreset: magrpo-humaneval\nteam: {turns: 2, feedback: expert, expert: {recording: said.jsonl}}\n",
		"servers": "name: x\npreset: magrpo-humaneval\nreward: {source: joint}\nteam: {turns: 2, feedback: expert, expert: {url: \"http://127.0.0.1:1/v1\", model: m}}\nservers: {recording: said.jsonl}\n",
	} {
		t.Run(name, func(t *testing.T) { growing(t, text) })
	}
}

func growing(t *testing.T, text string) {
	dir := t.TempDir()
	file := filepath.Join(dir, "said.jsonl")
	if files := filesIn(t, dir, text); len(files) != 0 {
		t.Errorf("a recording that is not there is hashed: %v", files)
	}
	write(t, file, "one\n")
	was := runs.Meta{Files: filesIn(t, dir, text)}
	if len(was.Files) != 1 || was.Files[0].Bytes != 4 {
		t.Fatalf("files %v", was.Files)
	}
	for text, changed := range map[string]bool{"one\n": false, "one\ntwo\n": false, "One\ntwo\n": true, "one": true} {
		write(t, file, text)
		list, err := Changes(t.Context(), was, runs.Meta{Files: []runs.File{{Key: was.Files[0].Key, Path: was.Files[0].Path, SHA256: "another"}}})
		if err != nil || (len(list) > 0) != changed {
			t.Errorf("%q: changes %v, %v", text, list, err)
		}
	}
}

// TestMeasurementsAreDropped: whatever the run's folder is called, nothing that was measured under other files is left, and nothing else is
// touched.
func TestMeasurementsAreDropped(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs [of] *")
	gone := []string{"evaluation/off-the-shelf-000000.json", "evaluation/off-the-shelf-000000.jsonl.zst", "pass-rates.json"}
	stays := []string{"evaluation/notes.txt", "report.json"}
	for _, name := range append(gone, stays...) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := dropMeasurements(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range gone {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	for _, name := range stays {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if err := dropMeasurements(t.TempDir()); err != nil {
		t.Errorf("a run without measurements: %v", err)
	}
}

// TestImports: what a file of Python imports from beside it decides numbers too, however it is imported and through however many files; what
// comes from elsewhere is none of the recipe's.
func TestImports(t *testing.T) {
	dir := t.TempDir()
	for path, text := range map[string]string{
		"edit.py": "import json, helper as h, " + "other  # third\nfrom tools.texts import (short,\n    long)\n" +
			"try:\n    from tools import numbers\nexcept ImportError:\n    pass\n# import unused\nname = 'import unread'\n",
		"helper.py": "from far import x\nimport edit\n", "far.py": "x = 1", "other.py": "", "unused.py": "", "unread.py": "", "json.txt": "",
		"tools/__init__.py": "", "tools/texts.py": "from . import words\nfrom ..up import y", "tools/numbers.py": "", "tools/words.py": "", "tools/lonely.py": "",
		"up.py": "y = 1",
	} {
		write(t, filepath.Join(dir, filepath.FromSlash(path)), text)
	}
	recipe := "name: x\nreward: {source: user, user: {python: edit.py}}\nalgorithm: magrpo\n"
	first := filesIn(t, dir, recipe)
	var names []string
	for _, f := range first {
		name, err := filepath.Rel(dir, f.Path)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, filepath.ToSlash(name))
	}
	want := []string{"edit.py", "far.py", "helper.py", "other.py", "tools/__init__.py", "tools/numbers.py", "tools/texts.py", "tools/words.py", "up.py"}
	if !slices.Equal(names, want) {
		t.Fatalf("files %q, want %q", names, want)
	}
	write(t, filepath.Join(dir, "far.py"), "x = 2")
	second := filesIn(t, dir, recipe)
	for _, c := range []struct {
		python string
		was    []runs.File
		want   string
	}{
		{"3.11.2", first, "reward.user.python (imported) far.py"},
		{"3.11.2", first[:1], "8 more"},
		{"", first[:1], ""}, // recorded by a release that knew of no imports
	} {
		list, err := Changes(t.Context(), runs.Meta{Files: c.was, Python: c.python}, runs.Meta{Files: second, Python: c.python})
		got := ""
		if len(list) == 1 {
			got = list[0].What + " " + filepath.Base(list[0].Path)
		} else if len(list) > 1 {
			got = fmt.Sprintf("%d more", len(list))
		}
		if err != nil || got != c.want {
			t.Errorf("changes %q %v, want %q", got, err, c.want)
		}
	}
	list, err := Changes(t.Context(), runs.Meta{Python: "3.11.2"}, runs.Meta{Python: "3.12.0"})
	if err != nil || len(list) != 1 || list[0].What != "python3" || len(Read(list)) != 0 {
		t.Errorf("another Python: %v, %v", list, err)
	}
}
