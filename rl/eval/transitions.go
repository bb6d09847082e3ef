package eval

import "math"

// Shares are how results moved over one pair of turns, as fractions of all of them: R is right, W is wrong, the first letter
// stands for the earlier turn (§8.3). RR + RW is the accuracy before, RR + WR the accuracy after.
type Shares struct{ RR, WR, RW, WW float64 }

// Net is the gain in accuracy.
func (s Shares) Net() float64 { return s.WR - s.RW }

// Before is the accuracy at the earlier turn, After that at the later one.
func (s Shares) Before() float64 { return s.RR + s.RW }

// After is the accuracy at the later turn.
func (s Shares) After() float64 { return s.RR + s.WR }

// Conditioned are shares of the moves that have three letters; what the letters stand for depends on where it is used.
// Pairs whose majority is tied, or that have no other agent, are in none of them.
type Conditioned struct{ RWR, RWW, WRW, WRR float64 }

// Delta0 goes with the coefficients α0 and β0: answers put right against the third letter, less those spoilt with it.
func (c Conditioned) Delta0() float64 { return c.WRW - c.RWW }

// Delta1 goes with the coefficients α1 and β1.
func (c Conditioned) Delta1() float64 { return c.WRR - c.RWR }

// A Transition reports one pair of turns (§8.3).
type Transition struct {
	FromTurn, ToTurn int // from 1
	Shares
	// Own has the letters Answer(t), Answer(t+1), Majority(t) of the other agents, as fractions of all answers.
	Own Conditioned
	// OwnConditional is Own as a fraction of the answers with that Answer(t) and Majority(t); NaN where there is none.
	OwnConditional Conditioned
	// Influence has the letters Majority(t), Majority(t+1), Answer(t), as fractions of all answers.
	Influence Conditioned
	// InfluenceConditional is Influence as a fraction of the answers with that Majority(t) and Answer(t); NaN where there is none.
	InfluenceConditional Conditioned
}

// Transitions reports every pair of turns of correct, [question][turn][agent]. All questions have the same number of turns.
func Transitions(correct [][][]bool) []Transition {
	if len(correct) == 0 {
		return nil
	}
	var all []Transition
	for t := 0; t+1 < len(correct[0]); t++ {
		var c tally
		for _, turns := range correct {
			for a := range turns[t] {
				c.add(turns[t], turns[t+1], a)
			}
		}
		all = append(all, c.report(t+1))
	}
	return all
}

// VotedTransitions reports how the voted result moved, scores[question][turn] being the expected accuracy of the vote. A
// tie is broken anew at every turn, so the two results of a question are independent given their expectations.
func VotedTransitions(scores [][]float64) []Shares {
	if len(scores) == 0 {
		return nil
	}
	var all []Shares
	for t := 0; t+1 < len(scores[0]); t++ {
		var s Shares
		for _, turns := range scores {
			before, after := turns[t], turns[t+1]
			s.RR += before * after
			s.WR += (1 - before) * after
			s.RW += before * (1 - after)
			s.WW += (1 - before) * (1 - after)
		}
		n := float64(len(scores))
		all = append(all, Shares{s.RR / n, s.WR / n, s.RW / n, s.WW / n})
	}
	return all
}

// A tally counts the answers of one pair of turns. Indices are 1 for right and 0 for wrong.
type tally struct {
	answers   int
	moves     [2][2]int    // [answer(t)][answer(t+1)]
	own       [2][2][2]int // [answer(t)][answer(t+1)][majority(t)]
	influence [2][2][2]int // [majority(t)][majority(t+1)][answer(t)]
	among     [2][2]int    // [majority(t)][answer(t)]
}

func (c *tally) add(before, after []bool, agent int) {
	from, to := bit(before[agent]), bit(after[agent])
	c.answers++
	c.moves[from][to]++
	m := OthersMajority(before, agent)
	if m == 0 {
		return
	}
	c.own[from][to][bit(m > 0)]++
	c.among[bit(m > 0)][from]++
	if next := OthersMajority(after, agent); next != 0 {
		c.influence[bit(m > 0)][bit(next > 0)][from]++
	}
}

func (c *tally) report(turn int) Transition {
	share := func(n int) float64 { return float64(n) / float64(c.answers) }
	tr := Transition{FromTurn: turn, ToTurn: turn + 1}
	tr.Shares = Shares{RR: share(c.moves[1][1]), WR: share(c.moves[0][1]), RW: share(c.moves[1][0]), WW: share(c.moves[0][0])}
	tr.Own = conditioned(func(x, y, z int) float64 { return share(c.own[x][y][z]) })
	tr.Influence = conditioned(func(x, y, z int) float64 { return share(c.influence[x][y][z]) })
	tr.OwnConditional = conditioned(func(x, y, z int) float64 { return shareOf(c.own[x][y][z], c.among[z][x]) })
	tr.InfluenceConditional = conditioned(func(x, y, z int) float64 { return shareOf(c.influence[x][y][z], c.among[x][z]) })
	return tr
}

// shareOf is a part of a whole, NaN of nothing.
func shareOf(part, whole int) float64 {
	if whole == 0 {
		return math.NaN()
	}
	return float64(part) / float64(whole)
}

func conditioned(share func(x, y, z int) float64) Conditioned {
	return Conditioned{RWR: share(1, 0, 1), RWW: share(1, 0, 0), WRW: share(0, 1, 0), WRR: share(0, 1, 1)}
}

// OthersMajority returns 1 if more of the agents other than agent are right than wrong, -1 if more are wrong, and 0 on a tie or
// when there is no other agent (§2.3).
func OthersMajority(correct []bool, agent int) int {
	balance := 0
	for j, right := range correct {
		if j != agent {
			balance += 2*bit(right) - 1
		}
	}
	return min(1, max(-1, balance))
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
