package answer

import "slices"

// Invalid says what an unparseable answer does in a vote.
type Invalid string

const (
	InvalidVotes    Invalid = "vote"    // all unparseable answers count as one common value that loses ties (the default)
	InvalidAbstains Invalid = "abstain" // unparseable answers do not vote
)

// Winners returns the most frequent answers of a team in the order of their first appearance (§8.1 of the MAPoRL specification). The unparseable answer
// is among them only when it is alone on top. There are none if no answer votes.
func Winners(answers []Answer, invalid Invalid) []Answer {
	votes := map[Answer]int{}
	var candidates []Answer
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
	winners := slices.DeleteFunc(candidates, func(a Answer) bool { return votes[a] < most })
	if len(winners) > 1 {
		winners = slices.DeleteFunc(winners, func(a Answer) bool { return !a.OK })
	}
	return winners
}

// Vote returns the expected accuracy of a majority vote whose ties are broken at random (§8.1): 1/|W| if the truth is among
// the winners W, else 0. A tie of the truth with one other answer scores ½, whoever gave it first.
func Vote(answers []Answer, truth string, invalid Invalid) float64 {
	winners := Winners(answers, invalid)
	if !slices.Contains(winners, Answer{Canonical: truth, OK: true}) {
		return 0
	}
	return 1 / float64(len(winners))
}

// A Ballot is the outcome of a vote that one answer wins, such as that of several passes of a team over one problem.
type Ballot struct {
	Winner Answer // the first given of the most frequent ones; not OK: no answer could be read
	Votes  int    // for it
	Tie    bool   // another answer has as many
}

// Plurality returns the most frequent readable answer. What cannot be read does not vote.
func Plurality(answers []Answer) Ballot {
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
