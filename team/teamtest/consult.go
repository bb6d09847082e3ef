package teamtest

import (
	"math"

	"parley/internal/tie"
	"parley/task/answer"
)

// Retriever returns who scores and who answers: the last of the order, and the others.
func Retriever(order []int) (retriever int, candidates []int) {
	n := len(order) - 1
	return order[n], order[:n]
}

// Retrieve returns the index of the candidate with the highest score of faithfulness, the first among equals; −1: there is none. Scores are cut to 0
// and 1; one that could not be read is NaN, and counts 0.
func Retrieve(scores []float64) int {
	if len(scores) == 0 {
		return -1
	}
	cut := make([]float64, len(scores))
	for i, s := range scores {
		if !math.IsNaN(s) {
			cut[i] = min(max(s, 0), 1)
		}
	}
	return tie.Best(cut, 1)
}

// A Reviewed is how a review went.
type Reviewed struct {
	Waiting bool // for the answer to a call that was made
	Reviews int
	Result  answer.Answer // not OK: nothing could be read
}

// Review has the first of the order answer, and the others rewrite the solution one after the other. Each sees the current solution and what was
// said of earlier ones. A rewriting that cannot be read leaves the solution as it is.
func Review(order []int, ask func(Call) (a answer.Answer, ok bool)) Reviewed {
	var out Reviewed
	for m, agent := range order {
		call := Call{Agent: agent, Round: m}
		if m > 0 {
			call.Sees = append(call.Sees, Source{Kind: Solution, Round: m - 1})
		}
		for i := 1; i < m; i++ {
			call.Sees = append(call.Sees, Source{Kind: Feedback, Round: i})
		}
		a, ok := ask(call)
		if !ok {
			out.Waiting = true
			return out
		}
		out.Reviews = m
		if a.OK {
			out.Result = a
		}
	}
	return out
}
