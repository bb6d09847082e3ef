package dataset

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	library "github.com/parquet-go/parquet-go"
)

// lay writes files into a new folder.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func records(t *testing.T, files []File) []string {
	t.Helper()
	var out []string
	for _, f := range files {
		if err := f.Each(func(_ int, data []byte) error {
			out = append(out, string(data))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func inParquet(t *testing.T, question string) string {
	t.Helper()
	type row struct {
		Question string `parquet:"question"`
	}
	var b bytes.Buffer
	w := library.NewGenericWriter[row](&b)
	if _, err := w.Write([]row{{question}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFolder(t *testing.T) {
	dir := lay(t, map[string]string{
		"R1/train.jsonl": "1", "R2/train.jsonl": "2", "R2/dev.jsonl": "3", "R2/test-00000-of-00002.parquet": inParquet(t, "4"),
		"R2/test-00001-of-00002.parquet": inParquet(t, "5"), "R2/notes.txt": "x", ".cache/train.jsonl": "x", "R2/.train.jsonl": "x",
	})
	set, err := Open(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if got := records(t, set.Of(Train)); !slices.Equal(got, []string{"1", "2"}) {
		t.Errorf("train: %q", got)
	}
	second, err := set.Subset("r2")
	if err != nil {
		t.Fatal(err)
	}
	if got := records(t, second.Files); !slices.Equal(got, []string{"3", `{"question":"4"}`, `{"question":"5"}`, "2"}) {
		t.Errorf("subset r2: %q", got)
	}
	if _, err := set.Subset("r9"); err == nil || !strings.Contains(err.Error(), "it has r1, r2") {
		t.Errorf("subset r9: %v", err)
	}
}

func TestOpenPulled(t *testing.T) {
	cache := lay(t, map[string]string{
		"datasets--openai--gsm8k/refs/main": "bbb\n", "datasets--openai--gsm8k/snapshots/aaa/train.jsonl": "old",
		"datasets--openai--gsm8k/snapshots/bbb/train.jsonl": "new", "datasets--org--by-commit/snapshots/ccc/test.jsonl": "only",
	})
	for name, want := range map[string]string{"openai/gsm8k": "new", "org/by-commit": "only"} {
		set, err := Open(name, cache)
		if err != nil {
			t.Fatal(err)
		}
		if got := records(t, set.Files); set.Name != name || !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	for name, want := range map[string]string{
		"no/such":                              "`parley data pull no/such`",
		"./no/such/folder":                     "`parley data pull ORG/NAME`",
		lay(t, map[string]string{"a.txt": ""}): "no file that ends in .jsonl",
	} {
		if _, err := Open(name, t.TempDir()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want …%s…", name, err, want)
		}
	}
}

func TestClassify(t *testing.T) {
	for _, c := range []struct{ name, split, subset string }{
		{"train.jsonl", Train, ""},
		{"dev.jsonl.gz", Validation, ""},
		{"all.jsonl.zst", "", "all"},
		{"plain_text/train_r3-00000-of-00001.parquet", Train, "plain_text r3"},
		{"R3/test.jsonl", Test, "r3"},
		{"snli_1.0_dev.jsonl", Validation, "snli_1.0"},
		{"main/validation-00000-of-00001.parquet", Validation, "main"},
		{"train/part-7.parquet", Train, "part-7"},
		{"latest.jsonl", "", "latest"},
		{"test2.jsonl", "", "test2"},
		{"contest.jsonl", "", "contest"},
	} {
		split, subset := classify(c.name)
		if split != c.split || strings.Join(subset, " ") != c.subset {
			t.Errorf("%s: %q %q, want %q %q", c.name, split, subset, c.split, c.subset)
		}
	}
}

func FuzzClassify(f *testing.F) {
	f.Add("plain_text/train_r3-00000-of-00001.parquet")
	f.Add("TEST/.jsonl")
	f.Fuzz(func(t *testing.T, name string) {
		split, subset := classify(name)
		if !slices.Contains([]string{"", Train, Validation, Test}, split) || slices.Contains(subset, "") {
			t.Errorf("%q: %q %q", name, split, subset)
		}
	})
}
