package read

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Question is what a planner is asked.
type Question struct {
	State    string   // what is observed
	Robots   []string // by name: one in S, all in J
	Before   []string // what the earlier robots of the step are going to do, as "name action"; never a later one
	Tries    []Try    // refused in this step
	Refused  float64  // the threshold that the last of them did not pass
	Scored   bool     // answers are scored: false in open loop
	Previous []Try    // accepted in the last step, in J
}

// Prompt is the text of a question: the state, what the earlier robots do, and the log of tries with their scores.
//
//	at 2 other 2 left 124
//	holder does 0
//	tried 3 score -0.25
//	too low: more than 0 is needed; change the action
//	action of sweeper with the highest advantage:
func Prompt(q Question) string {
	var b strings.Builder
	fmt.Fprintln(&b, q.State)
	for _, before := range q.Before {
		name, action, _ := strings.Cut(before, " ")
		fmt.Fprintf(&b, "%s does %s\n", name, action)
	}
	for _, t := range q.Previous {
		fmt.Fprintf(&b, "last step %s score %s\n", t.Action, score(t.Score))
	}
	for _, t := range q.Tries {
		fmt.Fprintf(&b, "tried %s score %s\n", t.Action, score(t.Score))
	}
	if len(q.Tries) > 0 {
		fmt.Fprintf(&b, "too low: more than %s is needed; change the action\n", score(q.Refused))
	}
	what := "action"
	if q.Scored {
		what = "action with the highest advantage"
	}
	fmt.Fprintf(&b, "%s of %s:", what, strings.Join(q.Robots, " "))
	return b.String()
}

// score writes a score with two digits behind the point.
func score(x float64) string {
	if math.IsInf(x, -1) {
		return "impossible"
	}
	return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64)
}
