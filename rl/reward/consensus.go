package reward

import (
	"parley/internal/tie"
	"parley/task/answer"
)

// A Consensus ends a question early (§1.2): when the share of the majority answer is above Share and the mean score of the
// answers that agree with it is above Score, by more than rounding. The zero value is too easily reached to be useful; use nil for never.
type Consensus struct {
	Share float64 `json:"share"`
	Score float64 `json:"score"`
}

// Reached reports whether the answers of one turn, with their raw scores, end the question. Unparseable answers never agree
// with each other. When several answers are tied, any of them may end it.
func (c *Consensus) Reached(answers []answer.Answer, scores []float64) bool {
	if c == nil {
		return false
	}
	for _, winner := range answer.Winners(answers, answer.InvalidAbstains) {
		n, sum := 0, 0.0
		for i, a := range answers {
			if a == winner {
				n++
				sum += scores[i]
			}
		}
		if tie.Above(float64(n)/float64(len(answers)), c.Share, 1) && tie.Above(sum/float64(n), c.Score, 1) {
			return true
		}
	}
	return false
}
