package credit

import "fmt"

// Terminate reports whether a node becomes a leaf before the last turn (MAGRPO §2.1, step 5): the mean of its processed
// rewards is strictly greater than threshold. A nil threshold never terminates. The decision is the node's: all its joint
// actions expand or none.
func Terminate(rewards []float64, threshold *float64) bool {
	return threshold != nil && average(rewards) > *threshold
}

// RelativeThreshold places a termination threshold in the declared range of a reward: fraction 0 is the least reward, 1 the
// greatest. So a shift of the reward moves the threshold with it.
func RelativeThreshold(fraction, least, greatest float64) float64 {
	return least + fraction*(greatest-least)
}

// TerminationWarning returns what to tell a user whose threshold lies below every possible reward, so that no rollout ever
// gets to its second turn; else "".
func TerminationWarning(threshold *float64, least float64, turns int) string {
	if threshold == nil || turns < 2 || least <= *threshold {
		return ""
	}
	return fmt.Sprintf("early termination threshold %g is below the least reward %g: turn 2 is never reached; raise it or write null",
		*threshold, least)
}
