package dataset

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestSavedIsParquet: what save_to_disk wrote has the rows, in their order and in the same splits, that to_parquet and to_json wrote. What was saved
// there before, and the cache of a mapped function, are none of it.
func TestSavedIsParquet(t *testing.T) {
	rows := func(form, split string) (all []any) {
		set, err := Open(filepath.Join("testdata", form), "")
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range records(t, set.Of(split)) {
			var value any
			if err := json.Unmarshal([]byte(row), &value); err != nil {
				t.Fatal(err)
			}
			all = append(all, value)
		}
		if known := len(set.Of(Train)) + len(set.Of(Test)); known != len(set.Files) {
			t.Errorf("%s: %d of %d files are of a split", form, known, len(set.Files))
		}
		return all
	}
	for split, many := range map[string]int{Train: 6, Test: 3} {
		want := rows("parquet", split)
		for _, form := range []string{"saved", "jsonl"} {
			if got := rows(form, split); len(got) != many || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s has %v, want %v", split, form, got, want)
			}
		}
	}
}

// copied is the shipped set in a new folder, with other texts in some files; an empty one takes a file away.
func copied(t *testing.T, other map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "saved"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(other)) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if text := other[name]; text != "" {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// TestSavedFiles: the folder of one data set, of splits, and Arrow files without what names them.
func TestSavedFiles(t *testing.T) {
	const shards = "train/data-00000-of-00002.arrow train/data-00001-of-00002.arrow"
	for want, other := range map[string]map[string]string{
		"test/data-00000-of-00001.arrow " + shards:                               nil,
		"old/data-00000-of-00001.arrow test/data-00000-of-00001.arrow " + shards: {"dataset_dict.json": ""},
		"test/data-00000-of-00001.arrow train/data-00000-of-00002.arrow":         {"train/state.json": `{"_data_files":[{"filename":"data-00000-of-00002.arrow"}]}`},
		"more.jsonl test/data-00000-of-00001.arrow " + shards:                    {"more.jsonl": "{}", "state.json": "[]"},
		"test/data-00000-of-00001.arrow train/cache-fcd4e93e4b59bdfb.arrow train/data-00000-of-00002.arrow train/data-00000-of-00003.arrow train/data-00001-of-00002.arrow train/data-00001-of-00003.arrow train/data-00002-of-00003.arrow": {"train/state.json": ""},
	} {
		set, err := Open(copied(t, other), "")
		var got []string
		for _, f := range set.Files {
			got = append(got, f.Name)
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q, %v, want %s", got, err, want)
		}
	}
}

func TestSavedErrors(t *testing.T) {
	for want, text := range map[string]string{
		"data-9.arrow, which is not there":           `{"_data_files":[{"filename":"data-9.arrow"}]}`,
		`"../test/a.arrow", which is no file`:        `{"_data_files":[{"filename":"../test/a.arrow"}]}`,
		"so there are no rows":                       `{"_data_files":[]}`,
		"call flatten_indices() before save_to_disk": `{"_data_files":[{"filename":"data-00000-of-00002.arrow"}],"_indices_data_files":[{"filename":"indices.arrow"}]}`,
		"unexpected end of JSON input":               `{"_data_files":[`,
	} {
		dir := copied(t, map[string]string{"train/state.json": text})
		if _, err := Open(dir, ""); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), filepath.Join("train", "state.json")) {
			t.Errorf("error %v, want …%s…", err, want)
		}
	}
}

// TestArrowFile: one file is a set, and a batch that takes more than there is room for is an error that names it.
func TestArrowFile(t *testing.T) {
	path := filepath.Join("testdata", "saved", "test", "data-00000-of-00001.arrow")
	set, err := Open(path, "")
	if err != nil || len(records(t, set.Files)) != 3 {
		t.Fatalf("%v, %v", set, err)
	}
	f := set.Files[0]
	if form, err := f.Format(t.Context()); form != Arrow || err != nil {
		t.Errorf("%s, %v", form, err)
	}
	f.most = 1 << 10
	if err := f.Each(t.Context(), func(int, []byte) error { return nil }); err == nil || !strings.Contains(err.Error(), "read "+path) {
		t.Errorf("%v", err)
	}
}
