package teamtest

import (
	"math"
	"strings"

	"parley/internal/tie"
	"parley/task/answer"
)

// ConsultRules are those of the dialogue of an agent that has a task with a user who knows what is wanted.
//
// The agent speaks first. It asks, and the user, who sees a hidden reference, answers in a few words. The dialogue ends with the first message of
// the agent that holds a marker; its answer is what follows. After the last turn that is allowed the whole message is the answer. Who sees the
// hidden reference, and who must not, is measured of a workflow: see [Consult].
type ConsultRules struct {
	Marker    string // announces the answer
	Turns     int    // the most messages of the agent
	UserLimit int    // characters of a user's reply that the agent reads
}

// An End is how a dialogue ended, or that it goes on.
type End struct {
	Over   bool
	Turns  int    // messages of the agent that count
	Answer string // white space around it removed
}

// End reads the agent's messages, oldest first. Messages after the end do not count.
func (r ConsultRules) End(said []string) End {
	for i, text := range said {
		if _, after, found := strings.Cut(text, r.Marker); found && r.Marker != "" {
			return End{Over: true, Turns: i + 1, Answer: strings.TrimSpace(after)}
		}
		if i+1 == r.Turns {
			return End{Over: true, Turns: i + 1, Answer: strings.TrimSpace(text)}
		}
	}
	return End{Turns: len(said)}
}

// Heard is a user's reply as the agent reads it: its first characters, not its first bytes.
func (r ConsultRules) Heard(reply string) string {
	n := 0
	for at := range reply {
		if n == r.UserLimit {
			return reply[:at]
		}
		n++
	}
	return reply
}

// ConsultScore is what an answer earns that passed so many of all hidden tests: the share, and whether it passed all, of which there are some.
func ConsultScore(passed, total int) (reward float64, success bool) {
	if total <= 0 {
		return 0, false
	}
	return float64(passed) / float64(total), passed == total
}

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
