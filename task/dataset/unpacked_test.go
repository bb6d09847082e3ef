package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func packedWith(t *testing.T, ending, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	if ending == ".zst" {
		w, err := zstd.NewWriter(&out)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		return w.EncodeAll([]byte(text), nil)
	}
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestUnpackedBound: a packed file that becomes longer than it may be is refused with what to write instead, wherever its bytes are; one that fits, and a
// plain file of any length, are read.
func TestUnpackedBound(t *testing.T) {
	const most = 1 << 20
	for _, test := range []struct {
		name, text string
		refused    string // the program that unpacks it; empty: it is read
	}{
		{"rows.jsonl.gz", strings.Repeat(`{"question":"q","answer":"a"}`+"\n", most/10), "gzip"},
		{"rows.jsonl.zst", strings.Repeat(`{"question":"q","answer":"a"}`+"\n", most/10), "zstd"},
		{"blank.jsonl.gz", strings.Repeat("\n", 2*most), "gzip"},
		{"array.json.gz", "[" + strings.Repeat(" ", 2*most) + `{"a":1}]`, "gzip"},
		{"rows.csv.gz", "question,answer\n" + strings.Repeat("q,a\n", most), "gzip"},
		{"few.jsonl.gz", strings.Repeat(`{"question":"q","answer":"a"}`+"\n", 9), ""},
		{"few.csv.zst", "question,answer\nq,a\n", ""},
		{"plain.jsonl", strings.Repeat(`{"question":"q","answer":"a"}`+"\n", most/10), ""},
	} {
		path := filepath.Join(t.TempDir(), test.name)
		data := []byte(test.text)
		if ending := filepath.Ext(test.name); ending != ".jsonl" {
			data = packedWith(t, ending, test.text)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		f := newFile(path, test.name)
		f.most = most
		err := f.Each(t.Context(), func(int, []byte) error { return nil })
		if test.refused == "" {
			if err != nil {
				t.Errorf("%s: %v", test.name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "`"+test.refused+" -d`") || !strings.Contains(err.Error(), "task.path") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestUnpackedInTime: unpacking ends with its context.
func TestUnpackedInTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.jsonl.gz")
	if err := os.WriteFile(path, packedWith(t, ".gz", strings.Repeat(`{"a":1}`+"\n", 1<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	n := 0
	err := newFile(path, "rows.jsonl.gz").Each(ctx, func(int, []byte) error {
		n++
		stop()
		return nil
	})
	if n != 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d rows, %v", n, err)
	}
}
