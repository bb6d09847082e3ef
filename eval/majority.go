package eval

import "strings"

// A TextMajority is the outcome of a vote by text (MAGRPO §10, baseline 6).
type TextMajority struct {
	Winner string  // trimmed and lower-cased
	Votes  int     // for the winner
	Share  float64 // of all answers
	Tie    bool    // others have as many votes; the winner appeared first
}

// MajorityText counts answers that are equal after trimming white space and lower-casing. Ties go to the answer that
// appeared first. No answers give the zero value. Votes over task answers with fractional ties are another measure.
func MajorityText(answers []string) TextMajority {
	votes := map[string]int{}
	var order []string
	for _, a := range answers {
		key := strings.ToLower(strings.TrimSpace(a))
		if votes[key] == 0 {
			order = append(order, key)
		}
		votes[key]++
	}
	var m TextMajority
	for _, key := range order {
		switch {
		case votes[key] > m.Votes:
			m = TextMajority{Winner: key, Votes: votes[key]}
		case votes[key] == m.Votes:
			m.Tie = true
		}
	}
	if len(answers) > 0 {
		m.Share = float64(m.Votes) / float64(len(answers))
	}
	return m
}
