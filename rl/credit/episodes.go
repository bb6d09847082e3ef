package credit

import (
	"fmt"
	"math"

	"parley/internal/tie"
)

// EpisodeAdvantages returns the advantage of every message of the episodes of one problem, [episode][message], from the messages' returns. The
// score of an episode is the mean of its returns, and a return is compared with the scores of the problem's episodes: with their mean, their
// greatest, nothing, or, for [ModeRLOO], the mean of those of the other episodes. With normalize it is compared with the mean and divided by
// max(population standard deviation of the scores, 1e-6). Episodes of one message each give [Advantages] exactly. Episodes without messages
// take no part.
func EpisodeAdvantages(returns [][]float64, mode AdvantageMode, normalize bool) ([][]float64, error) {
	if err := mode.Check(); err != nil {
		return nil, err
	}
	var scores []float64
	for _, r := range returns {
		if len(r) > 0 {
			scores = append(scores, average(r))
		}
	}
	if len(scores) == 0 || mode == ModeRLOO && len(scores) < 2 {
		return nil, fmt.Errorf("advantages in mode %s: %d episodes are too few", mode, len(scores))
	}
	compared, err := Advantages(scores, mode, false)
	if err != nil {
		return nil, err
	}
	mean, spread := average(scores), math.Max(populationStd(scores), spreadFloor)
	out := make([][]float64, len(returns))
	at := 0
	for i, r := range returns {
		if len(r) == 0 {
			continue
		}
		baseline := scores[at] - compared[at]
		for _, x := range r {
			a := x - baseline
			switch {
			case normalize:
				a = (x - mean) / spread
			case len(r) == 1:
				a = compared[at] // to the last bit
			}
			out[i] = append(out[i], a)
		}
		at++
	}
	return out, nil
}

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
