//go:build sandbox

package datacmd

import (
	_ "embed"
	"strings"
	"testing"

	"parley/task/sandbox"
)

//go:embed testdata/records.jsonl
var sample string

// TestSandbox runs real programs: right ones, endless ones, ones that fail, and one that would like to write a file.
func TestSandbox(t *testing.T) {
	pool, err := sandbox.Open(t.Context(), sandbox.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	var answers []string
	counts, err := prepareAll(t.Context(), pool, func(each func(Record) error) error {
		for line := range strings.Lines(sample) {
			r, err := readRecord([]byte(line))
			if err != nil {
				return err
			}
			if err := each(r); err != nil {
				return err
			}
		}
		return nil
	}, func(p Prepared) error {
		answers = append(answers, p.Answer.String())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "2 of 7 programs gave an answer; 1 ran too long; 2 failed; 1 returned no number; 1 returned a number that has no short decimal form"
	if counts.String() != want || strings.Join(answers, " ") != "108 5" {
		t.Errorf("%s: %v; want %s", counts, answers, want)
	}
}
