package eval

import (
	"maps"
	"math"
	"slices"

	"parley/task/answer"
)

// A Debate is what a team answered to one problem. Its arrays are [turn][speaker].
type Debate struct {
	Truth     string            `json:"truth"`
	Answers   [][]answer.Answer `json:"answers"`
	Flagged   [][]bool          `json:"flagged,omitempty"`   // answers with a penalty (§2.1); nil: not known
	Extracted [][]bool          `json:"extracted,omitempty"` // answers that the base read out of a text without a readable one (§8.2); nil: none
	Speakers  [][]int           `json:"speakers,omitempty"`  // the agents of the answers; nil: the same in every turn
}

// Correct returns which answers are right, [turn][speaker].
func (d Debate) Correct() [][]bool {
	correct := make([][]bool, len(d.Answers))
	for t, turn := range d.Answers {
		correct[t] = make([]bool, len(turn))
		for a, given := range turn {
			correct[t][a] = given == answer.Answer{Canonical: d.Truth, OK: true}
		}
	}
	return correct
}

// A TurnReport says how a team did at one turn, over all problems (§8.1). All are shares in [0, 1].
type TurnReport struct {
	Turn        int     `json:"turn"`        // from 1
	Voted       float64 `json:"voted"`       // expected accuracy of the majority vote
	Single      float64 `json:"single"`      // accuracy of a single answer
	Unparseable float64 `json:"unparseable"` // texts without a readable final answer
	Extracted   float64 `json:"extracted"`   // those of them whose answer the base read out
	Flagged     float64 `json:"flagged"`     // answers with a penalty
}

// Turns reports every turn of some debates. All debates have the same number of turns.
func Turns(debates []Debate, invalid answer.Invalid) []TurnReport {
	if len(debates) == 0 {
		return nil
	}
	reports := make([]TurnReport, len(debates[0].Answers))
	for t := range reports {
		reports[t] = turnReport(debates, t, invalid)
	}
	return reports
}

// turnReport is that of turn t, from 0: votes are means over debates, the other shares over the answers that were given in the turn.
func turnReport(debates []Debate, t int, invalid answer.Invalid) TurnReport {
	r := TurnReport{Turn: t + 1}
	// Answers that the base read out count as unparseable too: the team did not write them so.
	answers := 0
	for _, d := range debates {
		r.Voted += answer.Vote(d.Answers[t], d.Truth, invalid)
		for a, given := range d.Answers[t] {
			answers++
			r.Single += one(given == answer.Answer{Canonical: d.Truth, OK: true})
			extracted := d.Extracted != nil && d.Extracted[t][a]
			r.Unparseable += one(!given.OK || extracted)
			r.Extracted += one(extracted)
			r.Flagged += one(d.Flagged != nil && d.Flagged[t][a])
		}
	}
	r.Voted /= float64(len(debates))
	for _, share := range []*float64{&r.Single, &r.Unparseable, &r.Extracted, &r.Flagged} {
		*share /= float64(max(answers, 1))
	}
	return r
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Distribution turns counts of labels into shares of their sum, and returns the entropy of the distribution in nats (MAGRPO §14 for
// cooperation schemes): −Σ p·ln p, which is 0 for one label and ln k for k equally frequent ones. It adds up in the order of the labels, so that equal counts give equal bits.
func Distribution(counts map[string]int) (shares map[string]float64, entropy float64) {
	all := 0
	for _, n := range counts {
		all += n
	}
	shares = map[string]float64{}
	for _, label := range slices.Sorted(maps.Keys(counts)) {
		p := float64(counts[label]) / float64(max(all, 1))
		shares[label] = p
		if p > 0 && p < 1 {
			entropy -= p * math.Log(p)
		}
	}
	return shares, entropy
}
