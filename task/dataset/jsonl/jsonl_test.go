package jsonl

import (
	"bytes"
	"compress/gzip"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func compress(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.Bytes()
}

func compressZstd(text string) []byte {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return w.EncodeAll([]byte(text), nil)
}

func TestEach(t *testing.T) {
	const text = "{\"a\":1}\n\n  {\"b\":2}  \r\nlast"
	for name, data := range map[string][]byte{"plain": []byte(text), "gzip": compress(text), "zstd": compressZstd(text)} {
		var got []string
		var at []int
		err := Each("set.jsonl", bytes.NewReader(data), func(line int, data []byte) error {
			got, at = append(got, string(data)), append(at, line)
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if want := []string{`{"a":1}`, `{"b":2}`, "last"}; !slices.Equal(got, want) {
			t.Errorf("%s: records %q, want %q", name, got, want)
		}
		if want := []int{1, 3, 4}; !slices.Equal(at, want) {
			t.Errorf("%s: lines %v, want %v", name, at, want)
		}
	}
}

func TestEachErrors(t *testing.T) {
	stop := errors.New("no such field")
	gz := compress(strings.Repeat("line\n", 1000))
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"record fails", []byte("a\nb"), "set:2: no such field"},
		{"line too long", append([]byte("a\n"), make([]byte, MaxLine+1)...), "set:2: line is longer"},
		{"broken header", []byte{0x1f, 0x8b, 0, 0}, "read set:"},
		{"broken zstd", []byte{0x28, 0xb5, 0x2f, 0xfd, 0xff}, "read set after line"},
		{"cut short", gz[:len(gz)-6], "read set after line"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Each("set", bytes.NewReader(c.data), func(_ int, data []byte) error {
				if string(data) == "b" {
					return stop
				}
				return nil
			})
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Fatalf("error %v, want %s…", err, c.want)
			}
		})
	}
	if err := Each("empty", strings.NewReader(""), nil); err != nil {
		t.Fatalf("empty file: %v", err)
	}
}

func FuzzEach(f *testing.F) {
	f.Add([]byte("{}\n{}"))
	f.Add(compress("{}\n"))
	f.Add(compressZstd("{}\n"))
	f.Add([]byte{0x1f, 0x8b})
	f.Fuzz(func(t *testing.T, data []byte) {
		last := 0
		Each("fuzz", bytes.NewReader(data), func(line int, data []byte) error {
			if line <= last || len(data) == 0 || bytes.ContainsRune(data, '\n') {
				t.Fatalf("line %d after %d: %q", line, last, data)
			}
			last = line
			return nil
		})
	})
}
