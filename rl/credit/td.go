package credit

// TDTarget returns the target of a turn-level critic (MAGRPO §5): Σ_{k<n} discount^k·r_k + discount^n·next, from the rewards of the
// turn and of the n−1 that follow it until the agent speaks again, and the critic's value of its history there; next is 0 where it does not.
// Where an agent speaks in every turn, n = 1: r_t + discount·V_{t+1}, and r of the last turn. The temporal-difference error of a
// turn is its target less the critic's value of the history before it.
func TDTarget(rewards []float64, next, discount float64) float64 {
	target := next
	for k := len(rewards) - 1; k >= 0; k-- {
		target = rewards[k] + discount*target
	}
	return target
}
