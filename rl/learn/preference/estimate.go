package preference

import "parley/rl/learn"

// steps counts one of every policy for each batch of pairs, those included that are replayed from earlier iterations. C candidates with C
// different rewards have C·(C−1)/2 pairs; beside a comparator, which writes half of them, C²/4.
func steps(o learn.Outline) int {
	s := learn.SettingsIn[Settings](o.Settings)
	all := s.Candidates * (s.Candidates - 1) / 2
	if s.Comparator != "current" {
		all = s.Candidates * s.Candidates / 4
	}
	if s.Choose != "all" {
		all = min(all, s.Pairs)
	}
	total := 0
	for update := range o.Updates {
		replayed := map[string]int{"nearest": s.Nearest, "all": s.Iterations, "decay": s.Iterations}[s.Replay]
		pairs := o.Problems * all * (1 + min(s.Iteration(update, o.Updates), replayed))
		total += (pairs + s.Batch - 1) / s.Batch * o.Trained(false)
	}
	return total
}
