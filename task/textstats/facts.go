package textstats

import "parley/task"

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
