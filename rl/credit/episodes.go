package credit

import (
	"fmt"
	"math"
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
