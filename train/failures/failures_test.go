package failures_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"parley/rl/rollout"
	"parley/task"
	"parley/train/failures"
)

// played are episodes, each with the reason why it failed; empty: it was scored.
func played(reasons ...string) []*rollout.Episode {
	out := make([]*rollout.Episode, len(reasons))
	for i, why := range reasons {
		out[i] = &rollout.Episode{Problem: task.Problem{ID: fmt.Sprintf("p%d", i)}, Nodes: []*rollout.Node{{Failed: why}}}
	}
	return out
}

const late, index = "No reward before the deadline.", "Traceback:\n  line 7\nIndexError: list index out of range\n"

// TestScored: what is scored is kept, and a share of failures above the bound is an error that says it.
func TestScored(t *testing.T) {
	for _, c := range []struct {
		episodes []*rollout.Episode
		most     float64
		kept     int
		want     string
	}{
		{played("", ""), 0, 2, ""},
		{played("", late), 0.5, 1, ""},
		{played("", late, index), 0.5, 0, "2 of its 3 problems could not be scored, more than the share that training.failed_share allows, 0.5; the first, p1: No reward"},
		{played("", "", "", index), 0, 0, "1 of its 4 problems"},
		{played(index, late), 1, 0, "none of its 2 problems could be scored; the first, p0: Traceback:"},
		{played("", late, late), 1, 1, ""},
	} {
		got, err := failures.Scored(c.episodes, c.most)
		if c.want == "" && (err != nil || len(got) != c.kept) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d kept, %v, want %d, %q", len(got), err, c.kept, c.want)
		}
	}
}

// TestCount: failures are counted by their last lines, and single episodes of a problem one by one.
func TestCount(t *testing.T) {
	n, got := failures.Count(append(played("", index, late, index, strings.Repeat("é", 300)), tried("some", "", late, index)))
	want := map[string]int{"IndexError: list index out of range": 3, late: 2, strings.Repeat("é", 80) + " …": 1}
	if n != 6 || !maps.Equal(got, want) {
		t.Errorf("%d, %v, want %v", n, got, want)
	}
	timeUp := "step: No answer before the deadline. It was here:\n  File \"world.py\", line 4, in step\n    time.sleep(60)\n"
	if _, got := failures.Count(played(timeUp)); got["step: No answer before the deadline."] != 1 {
		t.Errorf("%v, want that the time was up, and not the line at which it was", got)
	}
	if n, got := failures.Count(played("", "")); n != 0 || got != nil {
		t.Errorf("%d, %v", n, got)
	}
}

// TestNotBegun: an episode that does not begin is one of its problem's, though it has no nodes.
func TestNotBegun(t *testing.T) {
	some := tried("some", "", "")
	some.Refused = map[int]string{2: late, 3: index}
	none := &rollout.Episode{Problem: task.Problem{ID: "none"}, Refused: map[int]string{0: late, 1: index}}
	if some.Samples() != 4 || some.Failed() != "" || !some.FailedSample(3) || some.FailedSample(1) || none.Samples() != 2 || none.Failed() != late {
		t.Errorf("%d episodes, %q; %d, %q", some.Samples(), some.Failed(), none.Samples(), none.Failed())
	}
	if n, _ := failures.Count([]*rollout.Episode{some, none}); n != 4 {
		t.Errorf("%d failed", n)
	}
	if whole, err := failures.Scored([]*rollout.Episode{some, none}, 0.75); err != nil || len(whole) != 1 {
		t.Errorf("%d kept, %v", len(whole), err)
	}
	if _, err := failures.Scored([]*rollout.Episode{some, none}, 0.74); err == nil || !strings.Contains(err.Error(), "1.5 of its 2 problems") {
		t.Error(err)
	}
}

// TestTeller: every problem is said once, problems of one reason together.
func TestTeller(t *testing.T) {
	var teller failures.Teller
	first := teller.Notes(1, played("", index, late, index, index, index, index, index))
	if len(first) != 2 || !strings.HasPrefix(first[0], "update 1: nothing is learned from p1, p3, p4, p5, p6 and 1 more, which could not be scored: Traceback") || !strings.Contains(first[1], "p2, which") {
		t.Errorf("%q", first)
	}
	second := teller.Notes(2, played(late, index, late))
	if len(second) != 1 || !strings.Contains(second[0], "from p0, which could not be scored: No reward") {
		t.Errorf("%q", second)
	}
}

// tried is a problem with several episodes, each with the reason why it failed.
func tried(id string, reasons ...string) *rollout.Episode {
	e := &rollout.Episode{Problem: task.Problem{ID: id}}
	for i, why := range reasons {
		e.Nodes = append(e.Nodes, &rollout.Node{Parent: -1, Sample: i}, &rollout.Node{Turn: 1, Sample: i, Failed: why})
	}
	return e
}

// TestFailedEpisodes: a problem counts by the share of its episodes that failed; it is kept as long as one was scored, and said all the same.
func TestFailedEpisodes(t *testing.T) {
	half, third, all := tried("half", "", late), tried("third", late, "", ""), tried("all", late, late)
	for _, c := range []struct {
		episodes []*rollout.Episode
		most     float64
		kept     int
		want     string
	}{
		{[]*rollout.Episode{half, tried("fine", "", "")}, 0.25, 2, ""},
		{[]*rollout.Episode{half, tried("fine", "", "")}, 0.24, 0, "0.5 of its 2 problems could not be scored, counted by the shares of their episodes, more than the share that training.failed_share allows, 0.24; the first, half: No reward"},
		{[]*rollout.Episode{half, all, all, all}, 0.5, 0, "3.5 of its 4 problems"},
		{[]*rollout.Episode{third, third, third}, 1.0 / 3, 3, ""},
		{[]*rollout.Episode{half, half}, 0.5, 2, ""},
		{[]*rollout.Episode{half, all}, 0.75, 1, ""},
		{[]*rollout.Episode{all, all}, 1, 0, "none of its 2 problems"},
	} {
		got, err := failures.Scored(c.episodes, c.most)
		if c.want == "" && (err != nil || len(got) != c.kept) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d kept, %v, want %d, %q", len(got), err, c.kept, c.want)
		}
	}
	var teller failures.Teller
	said := teller.Notes(1, []*rollout.Episode{third, all})
	if len(said) != 1 || !strings.HasPrefix(said[0], "update 1: nothing is learned from 1 of the 3 episodes of third, all, which could not be scored: No reward") {
		t.Errorf("%q", said)
	}
}

// TestUnfinished: it is said once that episodes end in the middle of an environment, and of how many; branches are counted by themselves.
func TestUnfinished(t *testing.T) {
	acted := func(parent, action int, done ...bool) *rollout.Node {
		n := &rollout.Node{Parent: parent, ParentAction: action}
		for _, d := range done {
			n.Outcomes = append(n.Outcomes, []rollout.Observed{{}, {Done: d}})
		}
		return n
	}
	var teller failures.Teller
	whole := &rollout.Episode{Nodes: []*rollout.Node{acted(-1, -1, false), acted(0, 0, true)}}
	if said := teller.Notes(1, []*rollout.Episode{whole, {Nodes: []*rollout.Node{{Parent: -1}}}}); said != nil {
		t.Errorf("%q", said)
	}
	tree := &rollout.Episode{Nodes: []*rollout.Node{acted(-1, -1, false, false, true), acted(0, 1, true)}}
	failed := acted(-1, -1, false)
	failed.Fail("it is lost")
	episodes := []*rollout.Episode{whole, tree, {Nodes: []*rollout.Node{failed}}}
	for update, want := range []string{"update 0: 1 of 4 episodes ended with the team's steps, before the environment was done", ""} {
		said := ""
		for _, n := range teller.Notes(update, episodes) {
			if strings.Contains(n, "ended with") {
				said = n
			}
		}
		if !strings.HasPrefix(said, want) || want == "" && said != "" {
			t.Errorf("update %d: %q, want %q", update, said, want)
		}
	}
}
