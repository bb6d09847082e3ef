package sums_test

import (
	"strings"
	"testing"

	"parley/task"
	"parley/task/sums"
)

// sheet is one with three answers.
var sheet = task.Problem{ID: "p", Fields: map[string]string{sums.Solution: "27\n41\n8"}}

// TestDictation: answers are compared one by one in their order; what is missing or behind the last one counts nothing.
func TestDictation(t *testing.T) {
	answers := func(texts ...string) string { return strings.Join(texts, sums.Between) }
	for _, c := range []struct {
		need     int
		response string
		reward   float64
	}{
		{0, answers(`\boxed{27}`, "20+21=41\nAnswer: \\boxed{41}", `\boxed{8}`), 1},
		{0, answers(`\boxed{41}`, `\boxed{27}`, `\boxed{8}`), 1. / 3}, // in another order
		{0, answers(`\boxed{27}`), 1. / 3},
		{0, answers("", "", "", `\boxed{27}`), 0},
		{0, "", 0},
		{2, answers(`\boxed{27}`, `\boxed{41}`, `\boxed{9}`), 1},
		{2, answers(`\boxed{27}`, `\boxed{4}`, `\boxed{9}`), 0},
	} {
		d, err := sums.NewDictation(sums.SheetOptions{Items: 3, Need: c.need})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := d.Score(t.Context(), sheet, []string{c.response}); err != nil || got.Reward != c.reward {
			t.Errorf("need %d, %q: %v, %v, want %v", c.need, c.response, got.Reward, err, c.reward)
		}
	}
}

// TestSheets: the question is the first problem of the sheet, every sheet has as many answers as problems, and no problem stands on two.
func TestSheets(t *testing.T) {
	d, err := sums.NewDictation(sums.SheetOptions{Items: 4})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, split := range []task.Split{task.Train, task.Test} {
		problems, err := d.Problems(split, 20)
		if err != nil || len(problems) != 20 {
			t.Fatalf("%d sheets, %v", len(problems), err)
		}
		for _, p := range problems {
			lines := strings.Split(p.Fields[sums.Sheet], "\n")
			if len(lines) != 4 || len(strings.Split(p.Fields[sums.Solution], "\n")) != 4 || p.Question != lines[0] || p.Truth != "" {
				t.Errorf("%+v", p)
			}
			for _, line := range lines {
				if seen[line] {
					t.Errorf("%q stands on two sheets", line)
				}
				seen[line] = true
			}
		}
	}
	for _, bad := range []sums.SheetOptions{{}, {Items: 21}, {Items: 3, Need: 4}, {Items: 3, Need: -1}} {
		if _, err := sums.NewDictation(bad); err == nil {
			t.Errorf("%+v is opened", bad)
		}
	}
}
