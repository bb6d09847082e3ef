package expert

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzRecording: a file that is read as a recording can be added to, and has what was added and what it had before when it is read again.
func FuzzRecording(f *testing.F) {
	for _, text := range []string{"", "{}\n", `{"question":"q","edit":{"aux":"a","main":"b"}}` + "\n", `{"question":"q","edit":{"aux":"a"}}`, "\n\n", "null\n", "[1]\n", `{"question":"q"`} {
		f.Add([]byte(text))
	}
	file := filepath.Join(f.TempDir(), "recording.jsonl")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		first, err := openRecording(file)
		if err != nil {
			return
		}
		if len(data) > 0 && data[len(data)-1] != '\n' {
			return // a line that was not finished
		}
		before := len(first.known)
		if _, known := first.known["key"]; !known {
			before++
		}
		if err := first.add("key", Edit{Aux: "x", Main: "y"}); err != nil {
			t.Fatal(err)
		}
		again, err := openRecording(file)
		if err != nil || again.known["key"] != (Edit{Aux: "x", Main: "y"}) || len(again.known) != before {
			t.Errorf("%q: %d answers, want %d; %v", data, len(again.known), before, err)
		}
	})
}

// FuzzReply: whatever an expert replies, it is an edit or an error.
func FuzzReply(f *testing.F) {
	for _, text := range []string{"", "{}", `{"choices":[]}`, `{"choices":[{"message":{"content":"{\"aux\":\"a\",\"main\":\"b\"}"}}]}`, `{"choices":[{"message":{"content":"}{"}}]}`, `{"choices":[{}]}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if edit, err := parse(data); err != nil && (edit != Edit{} || len(err.Error()) > 2000) {
			t.Errorf("%+v beside %v", edit, err)
		}
	})
}
