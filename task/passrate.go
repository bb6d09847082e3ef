package task

// A PassRate says how often a model solved a problem.
type PassRate struct {
	ID      string `json:"id"` // of the problem
	Right   int    `json:"right"`
	Samples int    `json:"samples"`
}

// Share is the pass rate itself, in [0, 1].
func (r PassRate) Share() float64 { return float64(r.Right) / float64(max(r.Samples, 1)) }

// MeanShare is the mean of pass rates, in [0, 1].
func MeanShare(rates []PassRate) float64 {
	sum := 0.0
	for _, r := range rates {
		sum += r.Share()
	}
	return sum / float64(max(len(rates), 1))
}

// Between returns the problems whose pass rate lies within bounds, both included, in their order, and their rates. There is one rate for
// each problem. What a model always or never solves teaches it little: all answers of a group then earn the same.
func Between(problems []Problem, rates []PassRate, least, most float64) ([]Problem, []PassRate) {
	if len(rates) != len(problems) {
		panic("internal error: pass rates of other problems")
	}
	var kept []Problem
	var theirs []PassRate
	for i, p := range problems {
		if share := rates[i].Share(); share >= least && share <= most {
			kept, theirs = append(kept, p), append(theirs, rates[i])
		}
	}
	return kept, theirs
}
