package sums

import (
	"context"
	"fmt"
	"unicode/utf8"

	"parley/task"
)

// Duet is the task duet. It is a [task.Answerer] and a [task.JointScorer].
//
// The task is the word problems of task sums for a pair of agents under one joint reward (MAGRPO's setting in small).
// Agent 0 is to answer in short, agent 1 to work the answer out at length:
//
//	agent 0:  23+18=41                       agent 1:  Altogether 23+18=41.
//	          41-12=29                                 Remaining 41-12=29.
//	          Answer: \boxed{29}                       Answer: \boxed{29}
//
// The reward is ½ for each right answer, plus up to 1 for texts whose lengths fit together as those of the two summaries
// of TLDR do (magrpo.md §6.1): the second 1.6 to 3.2 times as long as the first. Neither agent sees the other, so the
// pair has to find styles that are right and that fit.
type Duet struct{ *Task }

// NewDuet returns the task for the given options.
func NewDuet(opt Options) (*Duet, error) {
	if opt.Steps == 1 {
		return nil, fmt.Errorf("duet: steps is 1: write 2 to 4, or 0 for a mixture of 2 and 3; a single step has nothing to explain")
	}
	s, err := New(opt)
	if err != nil {
		return nil, fmt.Errorf("duet: %w", err)
	}
	return &Duet{s}, nil
}

// Name implements [task.Task].
func (t *Duet) Name() string { return duetName }

// Range returns 0 and 2.
func (t *Duet) Range() (least, greatest float64) { return 0, 2 }

// Score rewards the short answer responses[0] and the worked-out one responses[1]. Parts: "short" and "long" are ½ where
// the answer is right; "fit" in 0..1 says how the lengths go together, and is 0 unless both texts have an answer, so that
// it cannot be earned with text about nothing. Flags: "no answer" where a text has none.
func (t *Duet) Score(_ context.Context, p task.Problem, responses []string) (task.Score, error) {
	if len(responses) != 2 {
		return task.Score{}, fmt.Errorf("duet: %d responses to problem %s: the task is for two agents", len(responses), p.ID)
	}
	parts := map[string]float64{"short": 0, "long": 0, "fit": 0}
	readable := true
	for i, name := range []string{"short", "long"} {
		answer, ok := t.Answer(responses[i])
		readable = readable && ok
		if ok && answer == p.Right() {
			parts[name] = 0.5
		}
	}
	if !readable {
		return task.Score{Reward: parts["short"] + parts["long"], Parts: parts, Flags: []string{"no answer"}}, nil
	}
	parts["fit"] = fit(float64(utf8.RuneCountInString(responses[1])) / float64(utf8.RuneCountInString(responses[0])))
	return task.Score{Reward: parts["short"] + parts["long"] + parts["fit"], Parts: parts}, nil
}

// fit maps the ratio of the lengths to 0..1: 1 on [1.6, 3.2], falling linearly to 0 at 1.1 and at 5.
func fit(ratio float64) float64 {
	switch {
	case ratio < 1.1 || ratio > 5:
		return 0
	case ratio < 1.6:
		return (ratio - 1.1) / 0.5
	case ratio <= 3.2:
		return 1
	default:
		return 1 - (ratio-3.2)/1.8
	}
}
