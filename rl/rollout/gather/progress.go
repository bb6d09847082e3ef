package gather

import "sync"

// Progress is how far the turn is that the engines of a rollout draw.
type Progress struct {
	Turn        int // of the dialogue, from 0; of several, the first
	Whole       int // completions that are drawn to their ends
	Completions int // of the turn, over all problems
	Tokens      int // drawn in the turn so far
}

// Together returns a watcher for each of n that draw at the same time; watch is told of all of them together. The turn is that of the one who is
// farthest behind, of those who have begun. nil where nobody watches.
func Together(n int, watch func(Progress)) func(i int) func(Progress) {
	if watch == nil {
		return func(int) func(Progress) { return nil }
	}
	var mu sync.Mutex
	now := make([]*Progress, n)
	return func(i int) func(Progress) {
		return func(p Progress) {
			mu.Lock()
			defer mu.Unlock()
			now[i] = &p
			watch(sum(now))
		}
	}
}

// sum is how far all are that have begun.
func sum(all []*Progress) Progress {
	var s Progress
	begun := false
	for _, p := range all {
		if p == nil {
			continue
		}
		if !begun || p.Turn < s.Turn {
			s.Turn, begun = p.Turn, true
		}
		s.Whole, s.Completions, s.Tokens = s.Whole+p.Whole, s.Completions+p.Completions, s.Tokens+p.Tokens
	}
	return s
}
