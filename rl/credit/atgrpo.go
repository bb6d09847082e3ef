package credit

// This file credits the candidates of one decision (AT-GRPO, arXiv 2510.11062): an agent draws K answers to one prompt, each is scored by this
// turn alone, the best is executed, and play goes on from its state with K new candidates.
//
//	r_k = α·r_team,k + r_local,k
//	A_k = (r_k − mean r), divided by the standard deviation of the group where wanted
//
// There is no return: what later turns earn does not reach a candidate. A group has one prompt. Groups whose prompts differ, or that have another
// number of candidates, are invalid; they are never averaged. One agent and one turn are GRPO.
//
// The released code (PettingLLMs) lets all agents of a turn answer before any of them acts, and reads rewards after the states of all copies were
// replaced by the first agent's best: the second agent's rewards are copies of one number, and it learns nothing. Here agents decide one after
// another, each from the state after the best candidate of the one before, as its documentation says.
//
// States that only best candidates reach are better than the policy's own: evaluate with single drawn candidates.

import (
	"fmt"

	"parley/internal/tie"
)

// An ATGRPOPick says which candidate is executed.
type ATGRPOPick string

// The picks.
const (
	Best  ATGRPOPick = "best"  // that of the highest score, the first of them
	First ATGRPOPick = "first" // the first that did not fail
	Draw  ATGRPOPick = "draw"  // a drawn one, so that states are those of the policy
)

// Check returns an error for a pick that is none of the three.
func (p ATGRPOPick) Check() error {
	switch p {
	case Best, First, Draw:
		return nil
	}
	return fmt.Errorf("pick %q: write best, first or draw", p)
}

// An ATGRPO is how decisions are credited.
type ATGRPO struct {
	K      int     // candidates of a decision
	Alpha  float64 // weight of the team's reward beside the agent's own
	Spread Spread
	Pick   ATGRPOPick
}

// A Candidate is one answer and what this turn paid for it.
type Candidate struct {
	Prompt      string // as it was asked
	Team, Local float64
	Failed      bool // it could not be scored
}

// A Decision is a credited group of candidates.
type Decision struct {
	Scores     []float64 // of every candidate; 0 of those that failed
	Valid      bool      // as many candidates as there ought to be, of one prompt
	Advantages []float64 // 0 of those that failed; nil where invalid
	Executed   int       // -1: none, as all failed or the group is invalid
	Learns     bool      // at least two candidates are compared
}

// Decide credits the candidates of one decision. draw, in [0, 1), picks one where one is drawn.
func (r ATGRPO) Decide(candidates []Candidate, draw float64) (Decision, error) {
	if err := r.Pick.Check(); err != nil {
		return Decision{}, err
	}
	if err := r.Spread.Check(); err != nil {
		return Decision{}, err
	}
	d := Decision{Scores: make([]float64, len(candidates)), Executed: -1, Valid: len(candidates) == r.K}
	var there []int // those that did not fail
	var scores []float64
	for k, c := range candidates {
		d.Valid = d.Valid && c.Prompt == candidates[0].Prompt
		if c.Failed {
			continue
		}
		d.Scores[k] = r.Alpha*c.Team + c.Local
		there, scores = append(there, k), append(scores, d.Scores[k])
	}
	if !d.Valid {
		return d, nil
	}
	d.Advantages = make([]float64, len(candidates))
	for i, a := range r.Spread.Centred(scores) {
		d.Advantages[there[i]] = a
	}
	d.Learns = len(there) > 1
	if len(there) > 0 {
		d.Executed = there[r.pick(scores, draw)]
	}
	return d, nil
}

func (r ATGRPO) pick(scores []float64, draw float64) int {
	switch r.Pick {
	case First:
		return 0
	case Draw:
		return min(int(draw*float64(len(scores))), len(scores)-1)
	}
	return tie.Best(scores, 0)
}
