package verifier

import (
	"context"
	"fmt"
	"math"

	"parley/rl/eval"
)

// Measure says how good a verifier is on solutions whose labels are known.
type Measure struct {
	Questions        int        `json:"questions"`
	Solutions        int        `json:"solutions"`
	Accuracy         float64    `json:"accuracy"`      // of scores above ½ for right and below ½ for wrong solutions; ½ is neither
	AUC              *float64   `json:"auc,omitempty"` // absent where all solutions are right, or all are wrong
	CalibrationError float64    `json:"calibration_error"`
	Reliability      []eval.Bin `json:"reliability"`
	// Prefix is the accuracy, the area and the loss after each tenth of a solution's tokens.
	Prefix []PrefixMeasure `json:"prefix"`
}

// PrefixMeasure is how good scores are after a part of a solution.
type PrefixMeasure struct {
	Part     float64  `json:"part"` // of the tokens, above 0
	Accuracy float64  `json:"accuracy"`
	AUC      *float64 `json:"auc,omitempty"`
	Loss     float64  `json:"loss"` // binary cross-entropy, natural log
}

// bins of a reliability diagram, and parts of a prefix curve.
const bins = 10

// Measure scores solutions and compares the scores with the labels.
func (t *Trained) Measure(ctx context.Context, solutions []Solution) (*Measure, error) {
	var prefixes [][]float64
	for first := 0; first < len(solutions); first += atOnce {
		part := solutions[first:min(first+atOnce, len(solutions))]
		answers := make([]Answer, len(part))
		for i, s := range part {
			answers[i] = Answer{s.Problem, s.Shown}
		}
		scored, err := t.Prefixes(ctx, answers)
		if err != nil {
			return nil, fmt.Errorf("measure the verifier: %w", err)
		}
		prefixes = append(prefixes, scored...)
	}
	labels := make([]bool, len(solutions))
	for i, s := range solutions {
		labels[i] = s.Right
	}
	m := Compare(prefixes, labels)
	m.Questions = len(GroupByQuestion(solutions))
	return m, nil
}

// Compare compares the scores after every token of each solution with the solutions' labels.
func Compare(prefixes [][]float64, right []bool) *Measure {
	whole := after(prefixes, right, 1)
	m := &Measure{Solutions: len(right), Accuracy: eval.PredictionAccuracy(whole), AUC: area(whole), Reliability: eval.Reliability(whole, bins)}
	m.CalibrationError = eval.CalibrationError(m.Reliability)
	for i := 1; i <= bins; i++ {
		part := float64(i) / bins
		list := after(prefixes, right, part)
		m.Prefix = append(m.Prefix, PrefixMeasure{Part: part, Accuracy: eval.PredictionAccuracy(list), AUC: area(list), Loss: crossEntropy(list)})
	}
	return m
}

// after takes of every solution the score after a part of its tokens, at least one.
func after(prefixes [][]float64, right []bool, part float64) []eval.Prediction {
	out := make([]eval.Prediction, len(prefixes))
	for i, scores := range prefixes {
		last := max(1, int(math.Round(part*float64(len(scores)))))
		out[i] = eval.Prediction{Score: scores[last-1], Right: right[i]}
	}
	return out
}

func area(list []eval.Prediction) *float64 {
	if auc, ok := eval.AUC(list); ok {
		return &auc
	}
	return nil
}

// crossEntropy is the mean binary cross-entropy; a score of 0 or 1 counts as the nearest number inside.
func crossEntropy(list []eval.Prediction) float64 {
	sum := 0.0
	for _, p := range list {
		q := p.Score
		if !p.Right {
			q = 1 - q
		}
		sum -= math.Log(max(q, 1e-12))
	}
	return sum / float64(max(len(list), 1))
}
