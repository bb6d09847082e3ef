package malt

import (
	"math"

	"parley/rl/learn"
)

// steps counts those of an update that learns from all it may: every message is positive for supervised learning, and half of a family for pairs.
func steps(o learn.Outline) int {
	s, size := learn.SettingsIn[Settings](o.Settings), learn.SettingsIn[learn.Group](o.Settings).Size
	updates, problems := o.Updates, o.Problems
	if s.Pool == "run" {
		updates, problems = 1, o.Problems*o.Updates
	}
	total := 0
	for turn := range o.Turns {
		if len(o.Units(turn)) == 0 {
			continue
		}
		families := problems * int(math.Pow(float64(size), float64(turn)))
		total += s.Epochs * batches(families*size, s.Batch)
		if s.prefers(turn) {
			total += s.PairEpochs * batches(families*(size/2)*(size-size/2), s.Batch)
		}
	}
	return updates * total
}

func batches(n, size int) int { return (n + size - 1) / size }

// passes: a message is learned from once an epoch, and each of its pairs reads it before it learns from it.
func passes(settings []any, a learn.AnswerTokens) learn.Passes {
	s, tokens := learn.SettingsIn[Settings](settings), a.Prompt+a.Answer
	p := learn.Passes{Trained: tokens * float64(s.Epochs)}
	if s.Preferences != "none" {
		p.Scored = tokens * float64(1+s.PairEpochs)
		p.Trained += tokens * float64(s.PairEpochs)
	}
	return p
}

// kept counts the trees of all updates, which the last one learns from.
func kept(o learn.Outline) int {
	if learn.SettingsIn[Settings](o.Settings).Pool != "run" {
		return 0
	}
	return o.Problems * o.Updates
}
