package words

import "parley/task"

// TaskScore turns what two texts earned into what a task returns, with the robust reward as an audit beside it.
func (r Rubric) TaskScore(s Score, first, second string) task.Score {
	solved := s.Reward() / r.Most()
	audit, gamed := s.Cancel(s.Flags).Reward(), len(s.Flags) > 0
	facts := &task.Facts{Usable: []bool{r.fits(first), r.fits(second)}, Audit: &audit, Gamed: &gamed, Solved: &solved}
	return task.Score{Reward: s.Reward(), Parts: s.Parts(), Flags: s.Flags, Facts: facts}
}
