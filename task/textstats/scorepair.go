package textstats

import (
	"parley/task"
)

// ScorePair scores two texts about a source text. Flags are always noticed; only the robust variant lets them cancel parts. In the compat
// variant markers match inside longer words.
func (r Rubric) ScorePair(v task.RewardVariant, first, second, source string) Score {
	matching := Matching(Categories)
	if v == task.Compat {
		matching = SubstringCategories
	}
	score := r.Score(first, second, matching)
	flags := Flags(first, second, source)
	if v == task.Robust {
		return score.Cancel(flags)
	}
	score.Flags = flags
	return score
}

// ScoreSingle scores one response that holds both texts. Without a delimiter it earns nothing, except in the compat variant, which keeps
// the published cut.
func (r Rubric) ScoreSingle(v task.RewardVariant, text, source string) Score {
	if v == task.Compat {
		first, second := CompatSplit(text)
		return r.ScorePair(v, first, second, source)
	}
	first, second, ok := Split(text)
	if !ok {
		return Score{StoppedAt: 1}.Cancel([]string{FlagMissingDelimiter})
	}
	return r.ScorePair(v, first, second, source)
}

// TaskScoreOne is TaskScore for one text that holds both paragraphs (§6.3).
func (r Rubric) TaskScoreOne(v task.RewardVariant, text, source string) task.Score {
	first, second, ok := Split(text)
	if v == task.Compat {
		first, second = CompatSplit(text)
		ok = true
	}
	score := r.TaskScore(r.ScoreSingle(v, text, source), first, second)
	score.Signals.Usable = []bool{ok && r.fits(first) && r.fits(second)}
	return score
}

// TaskScore turns what two texts earned into what a task returns, with the robust reward as an audit beside it.
func (r Rubric) TaskScore(s Score, first, second string) task.Score {
	solved := s.Reward() / r.Most()
	audit, gamed := s.Cancel(s.Flags).Reward(), len(s.Flags) > 0
	facts := &task.Signals{Usable: []bool{r.fits(first), r.fits(second)}, Audit: &audit, Gamed: &gamed, Solved: &solved}
	return task.Score{Reward: s.Reward(), Parts: s.Parts(), Flags: s.Flags, Signals: facts}
}
