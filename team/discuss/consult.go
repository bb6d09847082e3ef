package discuss

import "strings"

// ConsultRules are those of the dialogue of an agent that has a task with a user who knows what is wanted.
//
// The agent speaks first. It asks, and the user, who sees a hidden reference, answers in a few words. The dialogue ends with the first message of
// the agent that holds a marker; its answer is what follows. After the last turn that is allowed the whole message is the answer. Who sees the
// hidden reference, and who must not, is measured of a workflow: see package [parley/team/workflow/shapes].
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
