// Package subagent credits a sub-agent that a main agent calls any number of times in a rollout, or never (M-GRPO, arXiv 2511.13288).
//
//	align.go    how often each call counts
//	reward.go   what main agent and calls earn, and their advantages
//
// Rollouts with more calls must not weigh more in the sub-agent's group. The paper aligns each rollout to D calls, dropping or repeating some at
// random. The expectation of that is a weight of D/d for each of d calls, which has less variance and is the default; drawing is there for parity.
// A rollout without a call gives the sub-agent nothing. It still counts for the main agent.
//
//	main   R = α1·format + α2·correct                         A = R − mean over the rollouts
//	sub    R = β1·format + β2·outcome of main + β3·judge      A = R − weighted mean over all calls of the group
//
// The released code differs: calls go through one queue in which eight neighbours are a group, so that groups mix problems, and nothing is aligned.
package subagent

// An Alignment says how often the calls of some rollouts count.
type Alignment struct {
	Kept    [][]int     // per rollout, the calls in the order in which they are taken, repeated ones too
	Weights [][]float64 // per rollout, of each of its calls
	Slots   int         // calls kept, repeated ones too
	Empty   int         // rollouts without a call
}

// Weigh lets every call of a rollout of n weigh slots/n.
func Weigh(slots int, calls []int) Alignment {
	return align(calls, func(_, n int) ([]int, []float64) {
		kept, weights := make([]int, n), make([]float64, n)
		for i := range kept {
			kept[i], weights[i] = i, float64(slots)/float64(n)
		}
		return kept, weights
	})
}

// Sample aligns every rollout to so many slots by draws in [0, 1), [rollout][draw]: of too many calls, one at a time is dropped; too few are
// repeated.
func Sample(slots int, calls []int, draws [][]float64) Alignment {
	return align(calls, func(k, n int) ([]int, []float64) {
		next := 0
		draw := func(n int) int {
			next++
			return min(int(draws[k][next-1]*float64(n)), n-1)
		}
		kept, weights := make([]int, n), make([]float64, n)
		for i := range kept {
			kept[i] = i
		}
		for len(kept) > slots {
			i := draw(len(kept))
			kept = append(kept[:i], kept[i+1:]...)
		}
		for len(kept) < slots {
			kept = append(kept, draw(n))
		}
		for _, i := range kept {
			weights[i]++
		}
		return kept, weights
	})
}

func align(calls []int, one func(rollout, n int) ([]int, []float64)) Alignment {
	a := Alignment{Kept: make([][]int, len(calls)), Weights: make([][]float64, len(calls))}
	for k, n := range calls {
		if n == 0 {
			a.Empty++
			continue
		}
		a.Kept[k], a.Weights[k] = one(k, n)
		a.Slots += len(a.Kept[k])
	}
	return a
}
