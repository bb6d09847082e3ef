package task

// An Overlapper is a task that leaves training problems out because they are held out too.
type Overlapper interface {
	// LeftOut is how many.
	LeftOut() int
}

// Apart returns the training problems that ask what no held-out problem asks, and how many do not. Questions are compared by [Key], and so are
// the named fields, where questions alone do not tell problems apart.
func Apart(train, held []Problem, fields ...string) (kept []Problem, overlap int) {
	measured := make(map[string]bool, len(held))
	for _, p := range held {
		measured[asked(p, fields)] = true
	}
	for _, p := range train {
		if !measured[asked(p, fields)] {
			kept = append(kept, p)
		}
	}
	return kept, len(train) - len(kept)
}

// asked is the same for problems that ask the same.
func asked(p Problem, fields []string) string {
	key := Key(p.Question)
	for _, name := range fields {
		key += Key(p.Fields[name])
	}
	return key
}
