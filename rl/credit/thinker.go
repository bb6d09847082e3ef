package credit

// This file credits an agent with what the team does with it and without it (CCPO, arXiv 2603.21563).
//
//	thinker.go  a thinker writes for a solver, who also answers alone; several answer, and their vote counts
//
// Two answer: R is +1 or −1 for the solver's answer after the thinker, and b what the solver earns alone, the mean of the group by default. The
// solver is trained on R, the thinker on R + λ·bonus:
//
//	event  bonus = [R>0, b<0] − [R<0, b>0]        (help less hurt)
//	delta  bonus = (R − b)/2
//
// # Why the bonus does nothing under a group's mean
//
// R takes two values, and b is one number for the whole group. So inside a group the bonus is an affine function of R. For delta that is plain:
// R + λ(R−b)/2 = (1 + λ/2)·R − λb/2. For event and b < 0 the bonus is 1 where R = 1 and 0 where R = −1, which is (R+1)/2; for b > 0 it is 0 and −1,
// which is (R−1)/2. In each case
//
//	R + λ·bonus = (1 + λ/2)·R + a constant of the group
//
// and advantages over the group's mean lose the constant:
//
//	A_thinker = (1 + λ/2)·A_solver                (b ≠ 0 for event)
//
// λ = 0.2 is a step of the thinker that is 1.1 times as long. Divided by the deviation nothing is left of it, and under Adam next to nothing. With a
// paired b the bonus is no pure factor; it adds the noise of an independent answer. Help and hurt rates are worth logging all the same: they say at
// once that a first agent is useless. So λ is 0 by default.
//
// # Voting
//
// credit_k = R(vote) − R(vote without k) does carry information. The vote without k does not hang on what k said, so the expected gradient is the
// team's, and its variance is lower. Where nobody is pivotal nobody takes a step.

import (
	"fmt"
	"slices"
)

// A Bonus is what the thinker earns beside the joint reward.
type Bonus string

// The bonuses.
const (
	Event Bonus = "event" // help less hurt
	Delta Bonus = "delta" // half of what the thinker added
)

// A Rule is how thinker and solver are credited.
type Rule struct {
	Lambda float64
	Bonus  Bonus
	Paired bool // compare with the solo answer of the same index; otherwise with the mean of the group's
	Binary bool // rewards above 0 are +1, others −1
	Spread Spread
}

// An Outcome is a reward; one that failed has none.
type Outcome struct {
	Reward float64
	Failed bool
}

// A Pair of lists is one group: Joint answers after the thinker, Solo answers without it. A paired rule compares equal indices.
type Pair struct{ Joint, Solo []Outcome }

// A Credited group. Entries of joint answers that failed are 0 and take no part.
type Credited struct {
	Baselines         []Outcome // b of each joint answer; Failed: there is none
	Bonuses           []float64
	Thinker, Solver   []float64 // what they are rewarded with
	ThinkerAdvantages []float64
	SolverAdvantages  []float64
}

// Rates count the joint answers that exist: how many were right where the solver alone was wrong, the reverse, and how many changed nothing.
type Rates struct{ Help, Hurt, Same, Answers int }

// zero is what counts as no difference: a mean of values ±1 may miss 0.
const zero = 1e-9

// Credit returns the rewards and advantages of a group, and adds to the rates.
func (r Rule) Credit(g Pair, rates *Rates) (Credited, error) {
	if r.Bonus != Event && r.Bonus != Delta {
		return Credited{}, fmt.Errorf("bonus %q: write event or delta", r.Bonus)
	}
	if err := r.Spread.Check(); err != nil {
		return Credited{}, err
	}
	n := len(g.Joint)
	out := Credited{Baselines: r.baselines(g), Bonuses: make([]float64, n), Thinker: make([]float64, n), Solver: make([]float64, n)}
	for i, o := range g.Joint {
		b := out.Baselines[i]
		if o.Failed {
			// A failed answer has neither reward nor bonus.
			continue
		}
		reward := r.outcome(o)
		rates.count(reward, b)
		out.Bonuses[i] = r.bonus(reward, b)
		out.Solver[i], out.Thinker[i] = reward, reward+r.Lambda*out.Bonuses[i]
	}
	out.ThinkerAdvantages = r.compared(g.Joint, out.Thinker)
	out.SolverAdvantages = r.compared(g.Joint, out.Solver)
	return out, nil
}

func (r Rule) outcome(o Outcome) float64 {
	switch {
	case !r.Binary:
		return o.Reward
	case o.Reward > 0:
		return 1
	}
	return -1
}

// baselines are what the solver earns alone, for every joint answer.
func (r Rule) baselines(g Pair) []Outcome {
	out := make([]Outcome, len(g.Joint))
	sum, n := 0.0, 0
	for _, o := range g.Solo {
		if !o.Failed {
			sum, n = sum+r.outcome(o), n+1
		}
	}
	for i := range out {
		switch {
		case r.Paired && (i >= len(g.Solo) || g.Solo[i].Failed), !r.Paired && n == 0:
			out[i].Failed = true
		case r.Paired:
			out[i].Reward = r.outcome(g.Solo[i])
		default:
			out[i].Reward = sum / float64(n)
		}
	}
	return out
}

func (r Rule) bonus(reward float64, b Outcome) float64 {
	switch {
	case b.Failed:
		return 0
	case r.Bonus == Delta:
		return (reward - b.Reward) / 2
	case helps(reward, b):
		return 1
	case hurts(reward, b):
		return -1
	}
	return 0
}

func helps(reward float64, b Outcome) bool {
	return !b.Failed && sign(reward) > 0 && sign(b.Reward) < 0
}

func hurts(reward float64, b Outcome) bool {
	return !b.Failed && sign(reward) < 0 && sign(b.Reward) > 0
}

func sign(x float64) int {
	switch {
	case x > zero:
		return 1
	case x < -zero:
		return -1
	}
	return 0
}

func (r *Rates) count(reward float64, b Outcome) {
	r.Answers++
	switch {
	case b.Failed:
	case helps(reward, b):
		r.Help++
	case hurts(reward, b):
		r.Hurt++
	case sign(reward) == sign(b.Reward):
		r.Same++
	}
}

// compared are the advantages of the rewards that exist.
func (r Rule) compared(joint []Outcome, rewards []float64) []float64 {
	out := make([]float64, len(joint))
	var there []int
	var values []float64
	for i, o := range joint {
		if !o.Failed {
			there, values = append(there, i), append(values, rewards[i])
		}
	}
	for i, a := range r.Spread.Centred(values) {
		out[there[i]] = a
	}
	return out
}

// TrainsThinker says which of the two a step, from 1, trains where they take turns of so many steps.
func TrainsThinker(step, period int, thinkerFirst bool) bool {
	return Turn(step, period, 2) == 0 == thinkerFirst
}

// Turn says which of n, from 0, a step, from 1, trains where they take turns of period steps.
func Turn(step, period, n int) int { return (step - 1) / period % n }

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
