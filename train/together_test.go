package train_test

import (
	"bytes"
	"encoding/json"
	"testing"
)

// written is a line of decoding.jsonl.
type written struct {
	Problem, Text      string
	Tokens             []int
	Worth              float64
	Switches, Rollouts int
	Spans              []struct {
		Agent, Text string
		Tokens      int
	}
}

func traces(t *testing.T, dir string) (out []written) {
	t.Helper()
	lines := json.NewDecoder(bytes.NewReader(runFile(t, dir, "decoding.jsonl")))
	for lines.More() {
		var w written
		if err := lines.Decode(&w); err != nil {
			t.Fatal(err)
		}
		out = append(out, w)
	}
	return out
}
