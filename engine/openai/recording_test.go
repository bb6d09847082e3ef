package openai

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTornRecording cuts a recording after every byte: what is whole is known, and the next answer stands on a line of its own.
func TestTornRecording(t *testing.T) {
	const first, second = `{"question":"a","edit":{}}` + "\n", `{"question":"b","reply":{"choices":[]},"drawn":3}` + "\n"
	for n := range len(first + second) {
		file := filepath.Join(t.TempDir(), "r.jsonl")
		if err := os.WriteFile(file, []byte((first + second)[:n]), 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := OpenRecording(file)
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		known := len(r.known)
		if err := r.Add(Line{Question: "c"}); err != nil {
			t.Fatal(err)
		}
		again, err := OpenRecording(file)
		data, _ := os.ReadFile(file)
		if err != nil || len(again.known) != known+1 || strings.Count(string(data), "\n") != known+1 {
			t.Errorf("%d bytes: %d answers of %d, %v in %q", n, len(again.known), known+1, err, data)
		}
	}
	file := filepath.Join(t.TempDir(), "r.jsonl")
	for _, damaged := range []string{"{\n", `{"question":"b","drawn":-1}` + "\n"} {
		if err := os.WriteFile(file, []byte(first+damaged+second), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenRecording(file); err == nil || !strings.Contains(err.Error(), ":2:") {
			t.Errorf("a damaged line before another: %v", err)
		}
	}
}

// FuzzRecording: a file that is read as a recording can be added to, and has what was added and what it had before when it is read again.
func FuzzRecording(f *testing.F) {
	for _, text := range []string{"", "{}\n", `{"question":"q","edit":{"aux":"a","main":"b"}}` + "\n", `{"question":"q","reply":[1],"error":"x"}`, "\n\n", "null\n", "[1]\n", `{"question":"q"`} {
		f.Add([]byte(text))
	}
	file := filepath.Join(f.TempDir(), "recording.jsonl")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		first, err := OpenRecording(file)
		if err != nil {
			return
		}
		if len(data) > 0 && data[len(data)-1] != '\n' {
			return // a line that was not finished
		}
		before := len(first.known)
		if _, known := first.Known("key"); !known {
			before++
		}
		if err := first.Add(Line{Question: "key", Reply: []byte(`{"x":1}`)}); err != nil {
			t.Fatal(err)
		}
		again, err := OpenRecording(file)
		if err != nil {
			t.Fatal(err)
		}
		if l, _ := again.Known("key"); string(l.Reply) != `{"x":1}` || len(again.known) != before {
			t.Errorf("%q: %d answers, want %d", data, len(again.known), before)
		}
	})
}
