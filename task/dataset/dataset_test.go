package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	library "github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"
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
		if err := f.Each(t.Context(), func(_ int, data []byte) error {
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
		{"contest.jsonl", "", "contest"},
		{"testing.jsonl", Test, ""},
		{"Eval.json", Test, ""},
		{"evaluation.csv", Test, ""},
		{"evals.jsonl", Test, ""},
		{"my-evaluations.jsonl", Test, "my"},
		{"tests/a.jsonl", Test, "a"},
		{"holdout.jsonl", Test, ""},
		{"hold-out.jsonl", Test, ""},
		{"qa_held_out.tsv.gz", Test, "qa"},
		{"heldout-v2.jsonl", Test, "v2"},
		{"training.jsonl", Train, ""},
		{"trainSet.jsonl", Train, ""},
		{"train_data.jsonl", Train, ""},
		{"train1.jsonl", Train, "1"},
		{"test2.jsonl", Test, "2"},
		{"valid.json", Validation, ""},
		{"dev_matched.jsonl", Validation, "matched"},
		{"train-00000-of-00002-0a1b2c.parquet", Train, "00000-of-00002-0a1b2c"},
		{"test/0000.parquet", Test, "0000"},
		{"held out/a.jsonl", Test, "a"},
		{"training-data/test.jsonl", Test, "training-data"},
		{"train/dev/x.jsonl", Validation, "train x"},
		{"train-test-split.jsonl", "", "train-test-split"},
		{"restrained.jsonl", "", "restrained"},
		{"values.csv", "", "values"},
	} {
		split, subset := classify(c.name)
		if split != c.split || strings.Join(subset, " ") != c.subset {
			t.Errorf("%s: %q %q, want %q %q", c.name, split, subset, c.split, c.subset)
		}
	}
}

// halved lays empty files and returns the names of those for training, held out and not used.
func halved(t *testing.T, files ...string) (string, error) {
	t.Helper()
	all := map[string]string{}
	for _, f := range files {
		all[f] = "{}"
	}
	set, err := Open(lay(t, all), "")
	if err != nil {
		t.Fatal(err)
	}
	h, err := set.Halves()
	join := func(files []File) string {
		var list []string
		for _, f := range files {
			list = append(list, f.Name)
		}
		return strings.Join(list, " ")
	}
	return join(h.Train) + " | " + join(h.Held) + " | " + join(h.Unused), err
}

// TestHalves: what is held out is known by every name that people give it, and nothing of another split or of none is mixed in.
func TestHalves(t *testing.T) {
	for _, c := range []struct{ files, want string }{
		{"train.jsonl test.jsonl", "train.jsonl | test.jsonl | "},
		{"training.jsonl testing.jsonl", "training.jsonl | testing.jsonl | "},
		{"train.jsonl eval.jsonl", "train.jsonl | eval.jsonl | "},
		{"train.jsonl holdout.jsonl", "train.jsonl | holdout.jsonl | "},
		{"train.jsonl test.jsonl eval.jsonl", "train.jsonl | test.jsonl | eval.jsonl"},
		{"train.jsonl dev.jsonl", "train.jsonl | dev.jsonl | "},
		{"train.jsonl extra.jsonl", "train.jsonl |  | extra.jsonl"},
		{"train.jsonl test.jsonl extra.csv", "train.jsonl | test.jsonl | extra.csv"},
		{"dev.jsonl test.jsonl", "dev.jsonl | test.jsonl | "},
		{"test.jsonl", "test.jsonl |  | "},
		{"part-1.jsonl part-2.jsonl", "part-1.jsonl part-2.jsonl |  | "},
		{"train/1.csv train/2.csv test/1.csv", "train/1.csv train/2.csv | test/1.csv | "},
		{
			"train-00000-of-00002.parquet train-00001-of-00002.parquet test-00000-of-00001.parquet dataset_infos.json",
			"train-00000-of-00002.parquet train-00001-of-00002.parquet | test-00000-of-00001.parquet | ",
		},
	} {
		if got, err := halved(t, strings.Fields(c.files)...); err != nil || got != c.want {
			t.Errorf("%s: %s, %v, want %s", c.files, got, err, c.want)
		}
	}
	if _, err := halved(t, "questions.jsonl", "test.jsonl"); err == nil || !strings.Contains(err.Error(), "the name of questions.jsonl (no split) says no split: rename") {
		t.Errorf("unknown file beside a test file: %v", err)
	}
}

// TestHalvesKeepApart: whatever files a folder has, each is in one place, and one of a held-out name is never trained on beside training files.
func TestHalvesKeepApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var set Set
		for i, word := range rapid.SliceOfN(rapid.SampledFrom([]string{"train", "training", "dev", "val", "test", "eval", "holdout", "extra", "data"}), 1, 6).Draw(t, "words") {
			set.Files = append(set.Files, newFile("x", fmt.Sprintf("%s-%d.jsonl", word, i)))
		}
		evaluation(set.Files)
		h, err := set.Halves()
		if err != nil {
			return
		}
		if got := len(h.Train) + len(h.Held) + len(h.Unused); got != len(set.Files) {
			t.Fatalf("%d files of %d", got, len(set.Files))
		}
		trained := map[string]bool{}
		for _, f := range h.Train {
			trained[f.Split] = true
		}
		if len(trained) > 1 && (trained[Train] || trained[""]) {
			t.Fatalf("trained on %v of %v", h.Train, set.Files)
		}
	})
}

// TestOpenStrangeFolders: a folder's name is a name, not a pattern, and may be a link.
func TestOpenStrangeFolders(t *testing.T) {
	dir := lay(t, map[string]string{"a [x]*?/datasets--o--r/snapshots/c [1]/train.jsonl": "1"})
	odd := filepath.Join(dir, "a [x]*?")
	places := [][2]string{{"o/r", odd}, {odd, ""}}
	if link := filepath.Join(dir, "link"); os.Symlink(odd, link) == nil { // not every system lets a user make one
		places = append(places, [2]string{link, ""})
	}
	for _, open := range places {
		set, err := Open(open[0], open[1])
		if err != nil || len(set.Files) != 1 {
			t.Errorf("%v: %v, %v", open, set, err)
		}
	}
}

// TestForms: one set in every form that is read has the same records.
func TestForms(t *testing.T) {
	array := "\ufeff[\n{\"question\":\"4\"},\n{\"question\":\"é\\n\\\"q\\\", x\"}]"
	dir := lay(t, map[string]string{
		"a.jsonl": "\ufeff{\"question\":\"4\"}\r\n{\"question\":\"é\\n\\\"q\\\", x\"}\r\n", "b.json": array, "c.csv": "\ufeffquestion\r\n4\r\n\"é\n\"\"q\"\", x\"\r\n",
		"d.tsv": "question\n4\n\"é\n\"\"q\"\", x\"\n", "e.csv": "question;\n4;\n\"é\n\"\"q\"\", x\";\n",
	})
	for _, name := range []string{"a.jsonl", "b.json", "c.csv", "d.tsv", "e.csv"} {
		set, err := Open(filepath.Join(dir, name), "")
		if err != nil {
			t.Fatal(err)
		}
		questions, err := Records(t.Context(), set.Files, func(_ int, data []byte) (string, error) {
			r, err := ParseRecord(data)
			if err != nil {
				return "", err
			}
			return r.Required("question")
		})
		if want := []string{"4", "é\n\"q\", x"}; err != nil || !slices.Equal(questions, want) {
			t.Errorf("%s: %q, %v", name, questions, err)
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

// TestReadersEnd: every form is read up to the record at which its context ends, and no further.
func TestReadersEnd(t *testing.T) {
	packed := func(w func(io.Writer) io.WriteCloser, text string) string {
		var b bytes.Buffer
		c := w(&b)
		if _, err := io.WriteString(c, text); err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	lines := strings.Repeat("{\"question\":\"4\"}\n", 8)
	forms := map[string]string{
		"a.jsonl": lines, "b.json": "[" + strings.TrimSuffix(strings.Repeat(`{"question":"4"},`, 8), ",") + "]", "c.csv": "question\n4\n4\n4\n", "d.parquet": inParquet(t, "4"),
		"e.jsonl.gz":  packed(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }, lines),
		"f.jsonl.zst": packed(func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w); return z }, lines),
	}
	dir := lay(t, forms)
	for name := range forms {
		f := newFile(filepath.Join(dir, name), name)
		ctx, cancel := context.WithCancel(t.Context())
		seen := 0
		err := f.Each(ctx, func(int, []byte) error { seen++; cancel(); return nil })
		if seen != 1 || err == nil && name != "d.parquet" || err != nil && (!errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), name)) {
			t.Errorf("%s: %d records, %v", name, seen, err)
		}
		if err := f.Each(ctx, func(int, []byte) error { t.Errorf("%s: a record behind the end", name); return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := f.Format(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: format: %v", name, err)
		}
	}
}
