package teams

// FewestSharing is the least number of trained agents over one base, given the base of every agent; all of them where none is trained.
func FewestSharing(bases []string, frozen func(agent int) bool) int {
	trained := map[string]int{}
	for agent, base := range bases {
		if !frozen(agent) {
			trained[base]++
		}
	}
	fewest := len(bases)
	for _, n := range trained {
		fewest = min(fewest, n)
	}
	return fewest
}
