package task

// A PassRate says how often a model solved a problem.
type PassRate struct {
	ID      string `json:"id"` // of the problem
	Right   int    `json:"right"`
	Samples int    `json:"samples"`
}

// Share is the pass rate itself, in [0, 1].
func (r PassRate) Share() float64 { return float64(r.Right) / float64(max(r.Samples, 1)) }

// Between returns the problems whose pass rate lies within bounds, both included, in their order. There is one rate for each
// problem. What a model always or never solves teaches it little: all answers of a group then earn the same.
func Between(problems []Problem, rates []PassRate, least, most float64) []Problem {
	if len(rates) != len(problems) {
		panic("internal error: pass rates of other problems")
	}
	var kept []Problem
	for i, p := range problems {
		if share := rates[i].Share(); share >= least && share <= most {
			kept = append(kept, p)
		}
	}
	return kept
}
