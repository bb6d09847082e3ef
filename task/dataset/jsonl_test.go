package dataset

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"parley/internal/usererror"
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

func TestEachLine(t *testing.T) {
	const text = "{\"a\":1}\n\n  {\"b\":2}  \r\nlast"
	for name, data := range map[string][]byte{"plain": []byte(text), "gzip": compress(text), "zstd": compressZstd(text)} {
		var got []string
		var at []int
		err := EachLine("set.jsonl", bytes.NewReader(data), func(line int, data []byte) error {
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

func TestEachLineErrors(t *testing.T) {
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
		{"broken zstd", []byte{0x28, 0xb5, 0x2f, 0xfd, 0xff}, "read set: reserved bit"},
		{"cut short", gz[:len(gz)-6], "read set after line"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := EachLine("set", bytes.NewReader(c.data), func(_ int, data []byte) error {
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
	if err := EachLine("empty", strings.NewReader(""), nil); err != nil {
		t.Fatalf("empty file: %v", err)
	}
}

// elements reads a file and returns its records with their lines.
func elements(data string) (got []string, err error) {
	err = EachLine("set", strings.NewReader(data), func(line int, data []byte) error {
		got = append(got, fmt.Sprintf("%d:%s", line, data))
		return nil
	})
	return got, err
}

func TestArray(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[]", ""},
		{" \n\t[ ]\n", ""},
		{`[{"a":1},{"b":2}]`, `1:{"a":1} 1:{"b":2}`},
		{"\ufeff[\n{\"a\":1},\n\n{\"b\":\n[2]}\n]\n", "2:{\"a\":1} 4:{\"b\":\n[2]}"},
		{"\n\n[1,\n2]", "3:1 4:2"},
	} {
		got, err := elements(c.text)
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%q: %q, %v, want %s", c.text, got, err, c.want)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"[\n{\"a\":1}\n{\"b\":2}]", "set:2: expected comma"},
		{"[\n{\"a\":1},\n{\"b\":", "set:3: the array is cut short"},
		{"[\n{\"a\":1}\n", "set:3: the array is cut short"},
		{"[\n{\"a\":x}\n]", "set:2: invalid character 'x'"},
		{"[1]\n{\"a\":1}", "set:"},
		{"[\n\"" + strings.Repeat("x", MaxLine+1<<20) + "\"]", "set:2: the element is longer"},
		{"[\n1,\n\"\\ud800\"]", `set:3: \ud800 is half of a surrogate pair`},
		{"[\n1,\n\"\xff\"]", "set:3: byte 2 is 0xff, which is not UTF-8"},
	} {
		if _, err := elements(c.text); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.40q: %v, want %s…", c.text, err, c.want)
		}
	}
}

// TestArrayIsLines: an array is the same records as its elements one a line, and each is said to be where it begins.
func TestArrayIsLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.StringMatching(`[a-z\n\[\]{},"]{0,8}`), 0, 20).Draw(t, "texts")
		var lines, array strings.Builder
		var want []string
		array.WriteString("[")
		line := 1
		for i, text := range list {
			if i > 0 {
				array.WriteString(",")
			}
			breaks := rapid.IntRange(0, 3).Draw(t, "breaks")
			array.WriteString(strings.Repeat("\n", breaks))
			line += breaks
			element, err := json.Marshal(map[string]string{"t": text})
			if err != nil {
				t.Fatal(err)
			}
			array.Write(element)
			fmt.Fprintf(&lines, "%s\n", element)
			want = append(want, fmt.Sprintf("%d:%s", line, element))
		}
		array.WriteString("\n]")
		got, err := elements(array.String())
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%q, %v, want %q", got, err, want)
		}
		flat, err := elements(lines.String())
		if err != nil || len(flat) != len(got) {
			t.Fatalf("as lines: %q, %v", flat, err)
		}
	})
}

// TestLinesThatAreNoText: what is no text has an error with its line, whatever it looks like.
func TestLinesThatAreNoText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"{\"a\":1}\n{\"a\":\"caf\xe9\"}", "set:2: byte 10 is 0xe9, which is not UTF-8: if the file is in Latin-1"},
		{"{\"a\":1}\n{\"a\":\"\\ud83d\"}", `set:2: \ud83d is half`},
		{"{\"a\":\"\xed\xa0\x80\"}", "set:1: it holds half of a surrogate pair"},
		{"{\n  \"a\": 1\n}", "set:1: the object goes on in other lines"},
	} {
		if _, err := elements(c.text); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s…", c.text, err, c.want)
		}
	}
}

func FuzzEachLine(f *testing.F) {
	f.Add([]byte("{}\n{}"))
	f.Add([]byte("[{},\n{}]"))
	f.Add(compress("{}\n"))
	f.Add(compressZstd("{}\n"))
	f.Add([]byte{0x1f, 0x8b})
	f.Fuzz(func(t *testing.T, data []byte) {
		last := 0
		EachLine("fuzz", bytes.NewReader(data), func(line int, data []byte) error {
			if line < max(last, 1) || len(data) == 0 || !utf8.Valid(data) {
				t.Fatalf("line %d after %d: %q", line, last, data)
			}
			last = line
			return nil
		})
	})
}

// TestRowsOfPython: what is wrong with rows that Python's package has written names the row, and elsewhere the line of the file.
func TestRowsOfPython(t *testing.T) {
	t.Setenv(usererror.CallerVariable, "python")
	for name, want := range map[string]string{
		"runs/.inputs/0123.jsonl": "data: row 1: no", "runs/.inputs/0123/test.jsonl": "data: row 1 of test: no", "mine/test.jsonl": "mine/test.jsonl:2: no",
	} {
		err := EachLine(name, strings.NewReader("{}\n{}\n"), func(line int, _ []byte) error {
			if line == 2 {
				return errors.New("no")
			}
			return nil
		})
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}
