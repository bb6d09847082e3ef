package discuss

import "parley/task/answer"

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
