package task

import (
	"strings"
	"testing"
)

func TestBetween(t *testing.T) {
	var problems []Problem
	var rates []PassRate
	for i, id := range []string{"a", "b", "c", "d", "e"} {
		problems, rates = append(problems, Problem{ID: id}), append(rates, PassRate{id, 2 * i, 8})
	}
	for _, c := range []struct {
		least, most float64
		want        string
	}{{0, 1, "abcde"}, {0.1, 0.7, "bc"}, {0.25, 0.75, "bcd"}, {0, 0, "a"}, {1, 1, "e"}, {0.3, 0.4, ""}} {
		var got strings.Builder
		for _, p := range Between(problems, rates, c.least, c.most) {
			got.WriteString(p.ID)
		}
		if got.String() != c.want {
			t.Errorf("%v to %v: %q, want %q", c.least, c.most, got.String(), c.want)
		}
	}
}
