package scalars

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestOfNamesNumbersByTheirPath: whatever an object is like, its numbers are there in its order, and nothing else is.
func TestOfNamesNumbersByTheirPath(t *testing.T) {
	for line, expected := range map[string]string{
		`{"update":3,"a":1,"b":[2,[3,-4e-1]],"c":{"d":{"e":5}}}`: "[{a 1} {b/1 2} {b/2/1 3} {b/2/2 -0.4} {c/d/e 5}]",
		` { "a" : [ ] , "b" : { } , "c" : [ { } , 7 ] } `:        "[{c/2 7}]",
		`{"a":"1","b":[true,null,"x,\"9\":[",2],"c\"":3}`:        `[{b/4 2} {c" 3}]`,
		`{"\u0061":1,"é":2}`:                                     "[{a 1} {é 2}]",
		`{}`:                                                     "[]",
		`{"a":{"update":7}}`:                                     "[{a/update 7}]",
	} {
		if list, err := Of([]byte(line)); err != nil || fmt.Sprint(list) != expected {
			t.Errorf("%s: %v, %v, expected %s", line, list, err, expected)
		}
	}
	for _, line := range []string{``, `1`, `[1]`, `null`, `{"a":1`, `{"a":01}`, `{"a":1e999}`, `{"update":1.5}`, `{"a":1}x`} {
		if list, err := Of([]byte(line)); err == nil {
			t.Errorf("%s has the numbers %v", line, list)
		}
	}
}

func FuzzOf(f *testing.F) {
	f.Add(`{"update":1,"a":[1,{"b":-2.5e3}],"c":"}\"1"}`)
	f.Fuzz(func(_ *testing.T, line string) { _, _ = Of([]byte(line)) })
}

// TestColumnsAreTheFile: after any change of a file its columns are those of one that is read for the first time.
func TestColumnsAreTheFile(t *testing.T) {
	dir := t.TempDir()
	kept := &Kept{}
	lines := func(from, to int, rest string) (out string) {
		for n := from; n <= to; n++ {
			out += fmt.Sprintf(`{"update":%d,"x":[%d,0.5]%s}`, n, n, rest) + "\n"
		}
		return out
	}
	shown := func(k *Kept) (out string) {
		k.Of(dir, func(r *Run) {
			for row, update := range r.Metrics.Updates {
				out += fmt.Sprint(update)
				for _, name := range slices.Sorted(slices.Values(r.Metrics.Names)) {
					if x := r.Metrics.At(name, row); x != nil {
						out += fmt.Sprint(" ", name, "=", *x)
					}
				}
				out += "\n"
			}
			out += fmt.Sprint(r.Metrics.Damaged)
		})
		return out
	}
	for i, now := range []struct{ what, text, end string }{
		{"its first lines", lines(1, 3, ""), "<nil>"},
		{"more", lines(1, 5, ""), "<nil>"},
		{"a line that is being written", lines(1, 5, "") + `{"update":6,"x":[`, "<nil>"},
		{"that line, with another name", lines(1, 5, "") + lines(6, 6, `,"y":7`), "<nil>"},
		{"back to a checkpoint", lines(1, 2, ""), "<nil>"},
		{"on in another way", lines(1, 2, "") + lines(3, 4, `,"y":8`), "<nil>"},
		{"changed within", lines(1, 1, `,"z":1`) + lines(2, 4, ""), "<nil>"},
		{"an update twice", lines(1, 4, "") + lines(4, 4, `,"w":9`), "metrics.jsonl is damaged after update 4: lines behind it are not read"},
		{"damaged, and more behind it", lines(1, 4, "") + lines(4, 4, `,"w":9`) + lines(5, 9, ""), "metrics.jsonl is damaged after update 4: lines behind it are not read"},
		{"whole again", lines(1, 9, ""), "<nil>"},
		{"empty", "", "<nil>"},
	} {
		file := filepath.Join(dir, metricsFile)
		at := time.Unix(int64(1000+i), 0)
		if err := errors.Join(os.WriteFile(file, []byte(now.text), 0o600), os.Chtimes(file, at, at)); err != nil {
			t.Fatal(err)
		}
		got, expected := shown(kept), shown(&Kept{})
		if got != expected || !strings.HasSuffix(got, now.end) {
			t.Errorf("%s:\n%s\nexpected\n%s", now.what, got, expected)
		}
	}
	if err := os.Remove(filepath.Join(dir, metricsFile)); err != nil {
		t.Fatal(err)
	}
	if got := shown(kept); got != "<nil>" {
		t.Errorf("without the file: %s", got)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(dir, metricsFile)); err != nil {
		t.Fatal(err)
	}
	if got := shown(kept); !strings.Contains(got, "is a link") {
		t.Errorf("a link: %s", got)
	}
}

// TestKeptIsBounded: the numbers that were asked for last stay, as many as there is room for, and a file that did not change is not opened again.
func TestKeptIsBounded(t *testing.T) {
	root := t.TempDir()
	k := &Kept{}
	ask := func(i int) (n int) {
		k.Of(filepath.Join(root, fmt.Sprint(i)), func(r *Run) { n = len(r.Metrics.Updates) })
		return n
	}
	for i := range 5 {
		dir := filepath.Join(root, fmt.Sprint(i))
		if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, metricsFile), []byte("{\"update\":1,\"x\":1}\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	ask(0)
	k.weigh(k.runs[filepath.Join(root, "0")], mostKept-20)
	for i := range 5 {
		if ask(i) != 1 {
			t.Errorf("run %d is not read", i)
		}
	}
	file := filepath.Join(root, "4", metricsFile)
	info, err := os.Stat(file)
	if err := errors.Join(err, os.WriteFile(file, []byte("{\"update\":x,\"x\":1}\n"), fs.ModePerm), os.Chtimes(file, info.ModTime(), info.ModTime())); err != nil {
		t.Fatal(err)
	}
	if ask(4) != 1 {
		t.Error("a file of the same size and time was read again")
	}
	k.weigh(k.runs[filepath.Join(root, "4")], mostKept)
	if len(k.runs) != 1 {
		t.Errorf("%d runs are kept, expected the last one", len(k.runs))
	}
}
