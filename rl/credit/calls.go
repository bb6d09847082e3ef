package credit

// A CallAlignment says how often the calls of some rollouts count. A main agent calls a sub-agent any number of times in a rollout, or never (M-GRPO,
// arXiv 2511.13288), and rollouts with more calls must not weigh more in the sub-agent's group.
//
// The paper aligns each rollout to D calls, dropping or repeating some at random. The expectation of that is a weight of D/d for each of d calls,
// which has less variance and is the default; drawing is there for parity. A rollout without a call gives the sub-agent nothing. It still counts for
// the main agent.
type CallAlignment struct {
	Kept    [][]int     // per rollout, the calls in the order in which they are taken, repeated ones too
	Weights [][]float64 // per rollout, of each of its calls
	Slots   int         // calls kept, repeated ones too
	Empty   int         // rollouts without a call
}

// WeighCalls lets every call of a rollout of n weigh slots/n.
func WeighCalls(slots int, calls []int) CallAlignment {
	return alignCalls(calls, func(_, n int) ([]int, []float64) {
		kept, weights := make([]int, n), make([]float64, n)
		for i := range kept {
			kept[i], weights[i] = i, float64(slots)/float64(n)
		}
		return kept, weights
	})
}

// SampleCalls aligns every rollout to so many slots by draws in [0, 1), [rollout][draw]: of too many calls, one at a time is dropped; too few are
// repeated.
func SampleCalls(slots int, calls []int, draws [][]float64) CallAlignment {
	return alignCalls(calls, func(k, n int) ([]int, []float64) {
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

func alignCalls(calls []int, one func(rollout, n int) ([]int, []float64)) CallAlignment {
	a := CallAlignment{Kept: make([][]int, len(calls)), Weights: make([][]float64, len(calls))}
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
