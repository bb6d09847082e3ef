package tokenizer

import (
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// Scores have the reference's last bit, which is not always that of the nearest number.
func TestParseScore(t *testing.T) {
	rounded := 0
	divided := func(digits, by float64) float64 { return -digits / by } // not a constant, which would be exact
	for _, c := range []struct {
		text string
		want float64
	}{
		{"0", 0},
		{"-12.5", -12.5},
		{"3e2", 300},
		{"-4.25E-1", -0.425},
		{"-10.000000000000002", divided(10000000000000002, 1e15)},
		{"-9.417634010314941", divided(9417634010314941, 1e15)},
		{"-12.345678901234567", divided(12345678901234567, 1e15)},
		{"-0.00000000000000000000000012345", -1.2345e-25},
		{"123456789012345678901234567890", 123456789012345678901234567890},
	} {
		if got := parseScore(c.text); got != c.want {
			t.Errorf("%s: %v, want %v", c.text, got, c.want)
		}
		if nearest, _ := strconv.ParseFloat(c.text, 64); nearest != c.want {
			rounded++
		}
	}
	if rounded == 0 {
		t.Error("no score shows the difference")
	}
}

// Cuts of a run of one digit are equally good but for the last bit of their scores. The ids are the reference's.
func TestUnigramTies(t *testing.T) {
	tok, err := Parse(readGolden(t, filepath.Join(goldens(), "tiny", "tiny-t5", "tokenizer.json")))
	if err != nil {
		t.Fatal(err)
	}
	const text = "0.9999999999999998"
	if got, want := encoded(t, tok, text, false), []int{80, 4, 179, 179, 179, 375, 179, 197}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
