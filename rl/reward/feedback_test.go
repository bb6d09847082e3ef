package reward

import (
	"testing"

	"parley/task/answer"
)

func TestSection12Feedback(t *testing.T) {
	for _, c := range []struct {
		score float64
		want  string
	}{
		{0, "this answer is very probably wrong."},
		{.29999, "this answer is very probably wrong."},
		{.3, "this answer may be wrong, or its reasoning needs a stronger argument."},
		{.6, "this answer looks right, but its reasoning should be checked once more."},
		{.8, "this answer is very probably right."},
		{1, "this answer is very probably right."},
	} {
		if got := Feedback(c.score); got != c.want {
			t.Errorf("%v means %q, want %q", c.score, got, c.want)
		}
	}
}

func TestSection12Consensus(t *testing.T) {
	eight, nine, none := answer.Answer{Canonical: "8", OK: true}, answer.Answer{Canonical: "9", OK: true}, answer.Answer{}
	team := []answer.Answer{eight, eight, nine}
	scores := []float64{.9, .7, .1}
	for _, c := range []struct {
		rule    *Consensus
		answers []answer.Answer
		want    bool
	}{
		{nil, team, false},
		{&Consensus{Share: .6, Score: .7}, team, true},
		{&Consensus{Share: 2. / 3, Score: .7}, team, false}, // the share must be above the threshold
		{&Consensus{Share: .6, Score: .8}, team, false},     // and so must the mean score
		{&Consensus{Share: 1.1, Score: 0}, team, false},     // the authors' setting: never
		{&Consensus{Share: .3, Score: .1}, []answer.Answer{none, none, none}, false},
		{&Consensus{Share: .3, Score: .8}, []answer.Answer{eight, nine, none}, true},
	} {
		if got := c.rule.Reached(c.answers, scores); got != c.want {
			t.Errorf("%+v on %v: %v, want %v", c.rule, c.answers, got, c.want)
		}
	}
}
