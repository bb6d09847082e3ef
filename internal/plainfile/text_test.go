package plainfile

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func packed(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

func TestOpen(t *testing.T) {
	for _, data := range []string{"text", "\ufefftext", packed("text"), packed("\ufefftext"), packed(packed("text"))} {
		r, err := OpenText(strings.NewReader(data))
		if err != nil {
			t.Errorf("%q: %v", data, err)
			continue
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != "text" {
			t.Errorf("%q: %q, %v", data, got, err)
		}
	}
}

// inUTF16 is a text in UTF-16, little or big end first.
func inUTF16(text string, big bool) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		if big {
			b = append(b, byte(unit>>8), byte(unit))
		} else {
			b = append(b, byte(unit), byte(unit>>8))
		}
	}
	return string(b)
}

// TestFormats: what is not read is named, with what to do.
func TestFormats(t *testing.T) {
	line := `{"question":"q"}`
	for _, c := range []struct{ data, format, remedy string }{
		{"PK\x03\x04....", "zip", "unpack"},
		{"\xfd7zXZ\x00", "xz", "xz -d"},
		{"BZh9", "bzip2", "bzip2 -d"},
		{inUTF16("\ufeff"+line, false), "UTF-16", "iconv"},
		{inUTF16("\ufeff"+line, true), "UTF-16", "iconv"},
		{inUTF16(line, false), "UTF-16", "iconv"},
		{inUTF16(line, true), "UTF-16", "iconv"},
		{"\xff\xfe\x00\x00{\x00\x00\x00", "UTF-32", "iconv"},
		{"ARROW1\x00\x00", "Arrow", "to_parquet"},
		{"\xff\xff\xff\xff\x10\x00\x00\x00", "Arrow", "to_parquet"},
		{"SQLite format 3\x00", "SQLite", "CSV"},
		{"%PDF-1.7", "PDF", "text"},
		{"version https://git-lfs.github.com/spec/v1\n", "Git LFS", "git lfs pull"},
		{"\n<!DOCTYPE html><html>", "web page", "download"},
		{strings.Repeat("a", 257) + "ustar\x0000........", "tar", "tar -x"},
		{packed("PK\x03\x04"), "zip", "unpack"},
	} {
		_, err := OpenText(strings.NewReader(c.data))
		if f := new(FormatError); !errors.As(err, &f) || !strings.Contains(f.Format, c.format) || !strings.Contains(f.Remedy, c.remedy) {
			t.Errorf("%.20q: %v, want %s and %s", c.data, err, c.format, c.remedy)
		}
	}
}

func TestCheck(t *testing.T) {
	for line, want := range map[string]string{"": "", "ü": "", "a\xe9": "byte 2 is 0xe9", "\xed\xa0\x80": "half of a surrogate pair", "\ufffd": ""} {
		if err := CheckText([]byte(line)); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
}

// TestCheckJSON: a JSON text is refused exactly when its reader would write the replacement character for half a pair.
func TestCheckJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		b.WriteByte('"')
		for range rapid.IntRange(0, 8).Draw(t, "pieces") {
			b.WriteString(rapid.SampledFrom([]string{"a", "é", `\\`, `\n`, `\"`, `\ud83d`, `\ude00`, `\uD83D\uDE00`, `\u00e9`, `ud83d`, `\\ud83d`}).Draw(t, "piece"))
		}
		b.WriteByte('"')
		var text string
		if err := json.Unmarshal([]byte(b.String()), &text); err != nil {
			t.Fatal(err)
		}
		err := CheckJSON([]byte(b.String()))
		if want := strings.ContainsRune(text, utf8.RuneError); want != (err != nil) {
			t.Fatalf("%s: %v", b.String(), err)
		}
	})
}

func FuzzCheckJSON(f *testing.F) {
	for _, seed := range []string{`"\ud800"`, `"\ud83d\ude00"`, `"\\ud800"`, `\u`, "\\"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := CheckJSON(data); err == nil && !utf8.Valid(data) {
			t.Errorf("%q is text", data)
		}
		if r, err := OpenText(bytes.NewReader(data)); err == nil {
			head, _ := r.Peek(3)
			if string(head) == "\xef\xbb\xbf" && !bytes.HasPrefix(data, []byte("\xef\xbb\xbf\xef\xbb\xbf")) && data[0] == head[0] {
				t.Errorf("the mark of %q is left", data)
			}
		}
	})
}
