package task

// An Overlapper is a task that leaves training problems out because they are held out too.
type Overlapper interface {
	// LeftOut is how many.
	LeftOut() int
}

// Apart returns the training problems that ask what no held-out problem asks, and how many do not. Questions are compared by [Key].
func Apart(train, held []Problem) (kept []Problem, overlap int) {
	measured := make(map[string]bool, len(held))
	for _, p := range held {
		measured[Key(p.Question)] = true
	}
	for _, p := range train {
		if !measured[Key(p.Question)] {
			kept = append(kept, p)
		}
	}
	return kept, len(train) - len(kept)
}
