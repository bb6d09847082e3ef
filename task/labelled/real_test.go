//go:build real

package labelled

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"parley/task"
	"parley/task/answer"
	"parley/task/dataset"
)

// onDisk is a file of the data sets that are not part of the program, in the folder PARLEY_DATA.
type onDisk string

func (name onDisk) Each(_ context.Context, record func(line int, data []byte) error) error {
	f, err := os.Open(filepath.Join(os.Getenv("PARLEY_DATA"), string(name)))
	if err != nil {
		return err
	}
	defer f.Close()
	return dataset.EachLine(string(name), f, record)
}

// TestRealSets counts what becomes of every row of the real sets.
func TestRealSets(t *testing.T) {
	for _, c := range []struct {
		form        Format
		train, test string
		want        string
	}{
		{GSM8K, "gsm8k/train.jsonl.gz", "gsm8k/test.jsonl.gz", "7473 training problems, 0 for a verifier, 1319 held out, none in two of them"},
		{SVAMP, "svamp/all.jsonl.gz", "", "804 training problems, 0 for a verifier, 196 held out, none in two of them"},
		{GSMHard, "gsm_hard/test.jsonl.gz", "", "808 training problems, 0 for a verifier, 208 held out, none in two of them; left out: 303 without a usable answer (line 8: answer 3244047.0999999996 is not whole; line 13: answer 14053029.666666666 is not whole; line 17: answer 388147.4117647059 is not whole; …)"},
		{MATH, "math/sample500.jsonl.gz", "", `336 training problems, 0 for a verifier, 68 held out, none in two of them; left out: 96 without a usable answer (line 7: (-\sqrt{3}, \sqrt{3}) is no number; line 19: -\sqrt{x-3}+3 is no number; line 32: -\frac1{2x} is no number; …)`},
		{NLI, "snli/dev.jsonl.gz", "snli/test.jsonl.gz", "1271 training problems, 0 for a verifier, 1254 held out, none in two of them; left out: 2 of a held-out question or text"},
		{NLI, "wanli/sample.jsonl.gz", "", "72 training problems, 0 for a verifier, 28 held out, none in two of them"},
		{NLI, "breaking_nli/test.jsonl.gz", "snli/test.jsonl.gz", "8193 training problems, 0 for a verifier, 1254 held out, none in two of them"},
	} {
		o := Options{Train: []File{onDisk(c.train)}}
		if c.test != "" {
			o.Test = []File{onDisk(c.test)}
		}
		loaded := load(t, c.form, o)
		if got := loaded.Account(); got != c.want {
			t.Errorf("%s %s:\n got %s\nwant %s", c.form.Name, c.train, got, c.want)
		}
		for _, split := range []task.Split{task.Train, task.Test} {
			for _, p := range problems(t, loaded, split) {
				if got, ok := c.form.Answer(`\boxed{` + p.Truth + `}`); !ok || got != p.Truth {
					t.Errorf("%s: the right answer %q reads as %q", p.ID, p.Truth, got)
				}
				if got, ok := answer.LastNumber("It is " + p.Truth + "."); !c.form.Choice && (!ok || got != p.Truth) {
					t.Errorf("%s: the right answer %q, not in a box, reads as %q", p.ID, p.Truth, got)
				}
			}
		}
	}
}
