package eval

import (
	"cmp"
	"math"
	"slices"

	"parley/internal/tie"
)

// A Prediction is a verifier's probability that an answer is right, and whether it is.
type Prediction struct {
	Score float64
	Right bool
}

// PredictionAccuracy returns the share of predictions above ½ for right and below ½ for wrong answers. A score of exactly ½
// is neither: it never counts as correct (MAPoRL §3). Without predictions it is 0.
func PredictionAccuracy(list []Prediction) float64 {
	hits := 0
	for _, p := range list {
		if p.Right && tie.Above(p.Score, 0.5, 1) || !p.Right && tie.Above(0.5, p.Score, 1) {
			hits++
		}
	}
	return float64(hits) / float64(max(len(list), 1))
}

// AUC returns the area under the ROC curve: the probability that a right answer has a higher score than a wrong one, ties
// counted half (Hanley and McNeil 1982). Over R right and W wrong answers it is
//
//	Σ_{i right, j wrong} (1[s_i > s_j] + ½·1[s_i = s_j]) / (R·W)
//
// It needs answers of both kinds, else ok is false.
func AUC(list []Prediction) (auc float64, ok bool) {
	sorted := levelled(list)
	slices.SortFunc(sorted, func(a, b Prediction) int { return cmp.Compare(a.Score, b.Score) })
	// Scores ascend: each right answer is above all wrong ones so far, and ties with those of its own score.
	rights, wrongs, pairs := 0.0, 0.0, 0.0
	for i := 0; i < len(sorted); {
		tied := [2]float64{}
		j := i
		for ; j < len(sorted) && sorted[j].Score == sorted[i].Score; j++ {
			if sorted[j].Right {
				tied[1]++
			} else {
				tied[0]++
			}
		}
		pairs += tied[1] * (wrongs + tied[0]/2)
		wrongs, rights, i = wrongs+tied[0], rights+tied[1], j
	}
	if rights == 0 || wrongs == 0 {
		return 0, false
	}
	return pairs / (rights * wrongs), true
}

// levelled is a copy of predictions in which scores, from 0 to 1, that differ by rounding are equal.
func levelled(list []Prediction) []Prediction {
	scores := make([]float64, len(list))
	for i, p := range list {
		scores[i] = p.Score
	}
	out := slices.Clone(list)
	for i, level := range tie.Levels(scores, 1) {
		out[i].Score = level
	}
	return out
}

// A Bin is a bar of a reliability diagram: the predictions with Low ≤ score < High (the last bin includes 1).
type Bin struct {
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Count int     `json:"count"`
	Score float64 `json:"score"` // mean score of its predictions
	Right float64 `json:"right"` // share of right answers among them
}

// Reliability sorts predictions, whose scores lie in [0, 1], into bins of equal width. A verifier is calibrated where each bin's Right is its
// Score; a bin without predictions has 0 for both.
func Reliability(list []Prediction, bins int) []Bin {
	out := make([]Bin, bins)
	for i := range out {
		out[i].Low, out[i].High = float64(i)/float64(bins), float64(i+1)/float64(bins)
	}
	for _, p := range list {
		b := &out[min(bins-1, int(p.Score*float64(bins)))]
		b.Count++
		b.Score += p.Score
		if p.Right {
			b.Right++
		}
	}
	for i := range out {
		n := float64(max(out[i].Count, 1))
		out[i].Score /= n
		out[i].Right /= n
	}
	return out
}

// CalibrationError returns the expected calibration error: the mean distance between score and share of right answers over
// bins, weighted by their counts: Σ_b n_b·|score_b − right_b| / Σ_b n_b (Naeini et al. 2015).
func CalibrationError(bins []Bin) float64 {
	// Empty bins have no weight.
	sum, n := 0.0, 0
	for _, b := range bins {
		sum += float64(b.Count) * math.Abs(b.Score-b.Right)
		n += b.Count
	}
	return sum / float64(max(n, 1))
}
