package counterfactual

import "slices"

// A Vote is an answer of one voter; one that is not readable counts for nothing.
type Vote struct {
	Answer   string
	Readable bool
}

// Votes credits every voter with what its vote changed: R(vote) − R(vote without it), where R is 1 for a vote that is right and −1 for others. The
// vote is the most frequent readable answer, on ties that which came first. team is R(vote).
func Votes(votes []Vote, right string) (team float64, credits []float64) {
	team = outcome(votes, right)
	for k := range votes {
		without := slices.Delete(slices.Clone(votes), k, k+1)
		credits = append(credits, team-outcome(without, right))
	}
	return team, credits
}

func outcome(votes []Vote, right string) float64 {
	count := map[string]int{}
	for _, v := range votes {
		if v.Readable {
			count[v.Answer]++
		}
	}
	best, most := "", 0
	for _, v := range votes {
		if v.Readable && count[v.Answer] > most {
			best, most = v.Answer, count[v.Answer]
		}
	}
	if most > 0 && best == right {
		return 1
	}
	return -1
}
