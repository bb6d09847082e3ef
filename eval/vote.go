// Package eval measures what a team can do. It is pure: answers (package answer) and numbers in, numbers out.
//
//	vote.go         the majority vote of a team, ties by expected accuracy
//	turns.go        what a debate scored after every turn
//	transitions.go  how answers changed from turn to turn, and under whose influence
//	evaluation.go   both for a whole evaluation, with the identities that they must obey
//	measure.go      what a number is; scores of two measures are not subtracted
//	interval.go     95 % confidence intervals
//	paired.go       two systems on the same problems: the interval and the p-value of their difference
//	pooled.go       the same of systems that were run with several seeds; Holm's adjustment
//	passk.go        the measures of MAGRPO's experiments
//
// Section numbers without a name are those of parley's MAPoRL specification.
package eval

import (
	"slices"

	"parley/task/answer"
)

// Invalid says what an unparseable answer does in a vote.
type Invalid string

const (
	InvalidVotes    Invalid = "vote"    // all unparseable answers count as one common value that loses ties (the default)
	InvalidAbstains Invalid = "abstain" // unparseable answers do not vote
)

// Winners returns the most frequent answers of a team in the order of their first appearance (§8.1). The unparseable answer
// is among them only when it is alone on top. There are none when nobody votes.
func Winners(answers []answer.Answer, invalid Invalid) []answer.Answer {
	votes := map[answer.Answer]int{}
	var candidates []answer.Answer
	most := 0
	for _, a := range answers {
		if !a.OK && invalid == InvalidAbstains {
			continue
		}
		if votes[a] == 0 {
			candidates = append(candidates, a)
		}
		votes[a]++
		most = max(most, votes[a])
	}
	winners := slices.DeleteFunc(candidates, func(a answer.Answer) bool { return votes[a] < most })
	if len(winners) > 1 {
		winners = slices.DeleteFunc(winners, func(a answer.Answer) bool { return !a.OK })
	}
	return winners
}

// Vote returns the expected accuracy of a majority vote whose ties are broken at random (§8.1): 1/|W| if the truth is among
// the winners W, else 0. A tie of the truth with one other answer scores ½, whoever gave it first.
func Vote(answers []answer.Answer, truth string, invalid Invalid) float64 {
	winners := Winners(answers, invalid)
	if !slices.Contains(winners, answer.Answer{Canonical: truth, OK: true}) {
		return 0
	}
	return 1 / float64(len(winners))
}

// A Ballot is the outcome of a vote that one answer wins, such as that of several passes of a team over one problem.
type Ballot struct {
	Winner answer.Answer // the first given of the most frequent ones; not OK: nobody could be read
	Votes  int           // for it
	Tie    bool          // another answer has as many
}

// Plurality returns the most frequent readable answer. What cannot be read does not vote.
func Plurality(answers []answer.Answer) Ballot {
	winners := Winners(answers, InvalidAbstains)
	if len(winners) == 0 {
		return Ballot{}
	}
	b := Ballot{Winner: winners[0], Tie: len(winners) > 1}
	for _, a := range answers {
		if a == b.Winner {
			b.Votes++
		}
	}
	return b
}
