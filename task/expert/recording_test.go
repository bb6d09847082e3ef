package expert

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTornRecording cuts a recording after every byte: what is whole is known, and the next answer stands on a line of its own.
func TestTornRecording(t *testing.T) {
	const first, second = `{"question":"a","edit":{}}` + "\n", `{"question":"b","edit":{}}` + "\n"
	for n := range len(first + second) {
		file := filepath.Join(t.TempDir(), "r.jsonl")
		if err := os.WriteFile(file, []byte((first + second)[:n]), 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := openRecording(file)
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		known := len(r.known)
		if err := r.add("c", Edit{}); err != nil {
			t.Fatal(err)
		}
		again, err := openRecording(file)
		data, _ := os.ReadFile(file)
		if err != nil || len(again.known) != known+1 || strings.Count(string(data), "\n") != known+1 {
			t.Errorf("%d bytes: %d answers of %d, %v in %q", n, len(again.known), known+1, err, data)
		}
	}
	file := filepath.Join(t.TempDir(), "r.jsonl")
	if err := os.WriteFile(file, []byte(first+"{\n"+second), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := openRecording(file); err == nil || !strings.Contains(err.Error(), ":2:") {
		t.Errorf("a damaged line before another: %v", err)
	}
}
