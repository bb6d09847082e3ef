package task

import (
	"strings"
	"testing"
)

func TestMeanShare(t *testing.T) {
	if got := MeanShare([]PassRate{{"a", 1, 4}, {"b", 3, 4}}); got != 0.5 {
		t.Errorf("the mean of 1/4 and 3/4 is %v", got)
	}
	if got := MeanShare(nil); got != 0 {
		t.Errorf("the mean of nothing is %v", got)
	}
}

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
		kept, theirs := Between(problems, rates, c.least, c.most)
		for i, p := range kept {
			if got.WriteString(p.ID); theirs[i].ID != p.ID {
				t.Errorf("the rate of %s stands beside %s", theirs[i].ID, p.ID)
			}
		}
		if got.String() != c.want {
			t.Errorf("%v to %v: %q, want %q", c.least, c.most, got.String(), c.want)
		}
	}
}
