package credit

import "parley/internal/tie"

// Terminate reports whether a node becomes a leaf before the last turn (MAGRPO §2.1, step 5): the mean of its processed
// rewards is strictly greater than threshold, by more than rounding in a range of that width. A nil threshold never terminates. The decision is the node's: all its joint
// actions expand or none.
func Terminate(rewards []float64, threshold *float64, width float64) bool {
	return threshold != nil && tie.Above(average(rewards), *threshold, width)
}

// RelativeThreshold places a termination threshold in the declared range of a reward: fraction 0 is the least reward, 1 the
// greatest. So a shift of the reward moves the threshold with it.
func RelativeThreshold(fraction, least, greatest float64) float64 {
	return least + fraction*(greatest-least)
}
