package episodes

import (
	"testing"

	"parley/team"
)

// TestQuoted: a text is seen where a message has it word for word; the number of a move is not seen in every number that has its digits.
func TestQuoted(t *testing.T) {
	for _, c := range []struct {
		text, message string
		want          bool
	}{
		{"65-32=33\nAnswer: 33", "Agent 1 solution: 65-32=33\nAnswer: 33\nOnce again", true},
		{"65-32=33\nAnswer: 33", "Agent 1 solution: 65-32=33", false},
		{"1", "at 22 goal 12 free 1234", false},
		{"1", "at 12 goal 11, holder does 1", true},
		{"1", "1\naction of sweeper:", true},
		{"3", "at 33 goal 12 free 13", false},
		{"3", "at 33 goal 3", true},
		{"bet", "better not", false},
		{"bet", "alphabet, bet.", true},
		{"Same.", "ThisSame.", true}, // more than a word
		{"été", "l'été", true},
		{"t", "été", false},
	} {
		if got := quoted(c.text, []team.Message{{Content: "nothing"}, {Content: c.message}}); got != c.want {
			t.Errorf("%q in %q: %v", c.text, c.message, got)
		}
	}
}
