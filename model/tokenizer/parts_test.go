package tokenizer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

// A partGolden is one part with its configuration, and what the reference makes of some inputs.
type partGolden struct {
	Part   string
	Config json.RawMessage
	In     []json.RawMessage
	Want   []json.RawMessage
}

// TestParts runs each part alone, those that no tokenizer of the goldens has included.
func TestParts(t *testing.T) {
	lines := bytes.Split(bytes.TrimSpace(readGolden(t, "testdata/parts.jsonl")), []byte("\n"))
	for _, line := range lines {
		var g partGolden
		if err := json.Unmarshal(line, &g); err != nil {
			t.Fatal(err)
		}
		run, err := g.run()
		if err != nil {
			t.Errorf("%s %s: %v", g.Part, g.Config, err)
			continue
		}
		for i, in := range g.In {
			if string(g.Want[i]) == "null" {
				continue // the reference itself failed
			}
			if err := run(in, g.Want[i]); err != nil {
				t.Errorf("%s %s: on %s: %v", g.Part, g.Config, in, err)
			}
		}
	}
}

// run returns the function that compares the part's result with the one wanted.
func (g *partGolden) run() (func(in, want json.RawMessage) error, error) {
	switch g.Part {
	case "normalizer":
		n, err := parseNormalizer(g.Config, 0)
		return compare(func(in string) string { return n.normalize(in, newBudget(len(in))) }, func(a, b string) bool { return a == b }), err
	case "pre_tokenizer":
		p, err := parsePreTokenizer(g.Config, 0)
		return compare(func(in string) []string {
			if in == "" {
				return nil
			}
			return stagePieces(p, in)
		}, slices.Equal[[]string]), err
	case "decoder":
		d, err := parseDecoder(g.Config, 0)
		return compare(func(in []string) string {
			return (&Tokenizer{decoder: d}).decodeTokens(in)
		}, func(a, b string) bool { return a == b }), err
	case "model":
		m, err := parseModel(g.Config)
		t := &Tokenizer{model: m, template: plain}
		return compare(func(in string) []int {
			ids, err := t.Encode(in, true)
			if err != nil {
				return []int{-1}
			}
			return ids
		}, slices.Equal[[]int]), err
	}
	return nil, fmt.Errorf("unknown part")
}

func compare[In, Out any](f func(In) Out, equal func(a, b Out) bool) func(in, want json.RawMessage) error {
	return func(in, want json.RawMessage) error {
		var input In
		var wanted Out
		if err := json.Unmarshal(in, &input); err != nil {
			return err
		}
		if err := json.Unmarshal(want, &wanted); err != nil {
			return err
		}
		if got := f(input); !equal(got, wanted) {
			return fmt.Errorf("%q, want %q", fmt.Sprint(got), fmt.Sprint(wanted))
		}
		return nil
	}
}
