// Package eval measures what a team can do. It is pure: answers (package answer) and numbers in, numbers out.
//
//	turns.go        what a debate scored after every turn
//	transitions.go  how answers changed from turn to turn, and under whose influence
//	evaluation.go   both for a whole evaluation, with the identities that they must obey
//	measure.go      what a number is; scores of two measures are not subtracted
//	interval.go     95 % confidence intervals
//	paired.go       two systems on the same problems: the interval and the p-value of their difference
//	pooled.go       the same of systems that were run with several seeds; Holm's adjustment
//	shapley.go      what a team scores, shared out among its members
//	contribution.go what single members are worth: left out, untrained, by their shares
//	passk.go        the measures of MAGRPO's experiments
//	trajectories.go, proposals.go    what is learned from, out of what was scored
//
// Section numbers without a name are those of parley's MAPoRL specification.
package eval

import (
	"fmt"
	"math"
	"slices"

	"parley/task/answer"
)

// An Evaluation says how a team did after every turn, and how its answers moved from turn to turn (§8).
type Evaluation struct {
	Turns       []TurnReport
	Transitions []Transition // of single answers; none where turns have different speakers, whose answers do not move
	Voted       []Shares     // of votes, for the same pairs of turns
}

// Evaluate reports debates with equal numbers of turns T: T reports, and the moves of T−1 pairs of turns. An error says which identity of §8.3 the numbers break: then the report is wrong,
// and not the team.
func Evaluate(debates []Debate, invalid answer.Invalid) (Evaluation, error) {
	e := Evaluation{Turns: Turns(debates, invalid)}
	if slices.ContainsFunc(debates, func(d Debate) bool { return d.Speakers != nil }) {
		return e, e.Check()
	}
	correct := make([][][]bool, len(debates))
	scores := make([][]float64, len(debates))
	for i, d := range debates {
		correct[i] = d.Correct()
		for _, answers := range d.Answers {
			scores[i] = append(scores[i], answer.Vote(answers, d.Truth, invalid))
		}
	}
	e.Transitions, e.Voted = Transitions(correct), VotedTransitions(scores)
	return e, e.Check()
}

// Check returns an error unless e obeys the identities of §8.3: for answers and for votes alike the shares of a pair of turns add up to 1,
// RR + RW is the accuracy before it, which the pair before ended with, RR + WR the accuracy after it; and the moves that were told
// apart by the others' majority are some of all moves.
func (e Evaluation) Check() error {
	if n := len(e.Transitions); n != len(e.Voted) || n > 0 && n != len(e.Turns)-1 {
		return fmt.Errorf("%d turns with transitions of %d pairs for answers and %d for votes", len(e.Turns), len(e.Transitions), len(e.Voted))
	}
	for i, tr := range e.Transitions {
		before, after := e.Turns[i], e.Turns[i+1]
		err := tr.between(before.Single, after.Single)
		if err == nil {
			err = tr.containsConditioned()
		}
		if err != nil {
			return fmt.Errorf("transitions of answers into turn %d: %w", tr.ToTurn, err)
		}
		if err := e.Voted[i].between(before.Voted, after.Voted); err != nil {
			return fmt.Errorf("transitions of votes into turn %d: %w", tr.ToTurn, err)
		}
	}
	return nil
}

// between checks shares against the accuracies at their two turns.
func (s Shares) between(before, after float64) error {
	for _, identity := range []struct {
		name      string
		got, want float64
	}{
		{"RR + WR + RW + WW", s.RR + s.WR + s.RW + s.WW, 1},
		{"RR + RW", s.Before(), before},
		{"RR + WR", s.After(), after},
		{"WR - RW", s.Net(), after - before},
	} {
		if !(math.Abs(identity.got-identity.want) <= slack) {
			return fmt.Errorf("%s is %v, not %v", identity.name, identity.got, identity.want)
		}
	}
	return nil
}

// containsConditioned checks that the conditioned moves of answers are among all of them.
func (t Transition) containsConditioned() error {
	if up := t.Own.WRW + t.Own.WRR; !(up <= t.WR+slack) {
		return fmt.Errorf("WRW + WRR is %v, more than WR, %v", up, t.WR)
	}
	if down := t.Own.RWR + t.Own.RWW; !(down <= t.RW+slack) {
		return fmt.Errorf("RWR + RWW is %v, more than RW, %v", down, t.RW)
	}
	return nil
}

// slack absorbs the rounding of sums of shares.
const slack = 1e-9
