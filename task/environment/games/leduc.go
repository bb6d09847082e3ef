// This file is Leduc poker: six cards, two each of the ranks 1, 2 and 3; a card for each player, a round of bets, a public card, and another round.
//
// Both pay 1. The first player begins both rounds. A move is the first digit 0, 1 or 2 of what is said: 0 folds, and is legal only where the other has
// paid more; 1 checks or calls; 2 bets or raises, twice a round at most: who does pays as much as the other, and 2 more, 4 in the second round. A 1 ends
// a round if it is not its first move. At the end a pair with the public card wins, else the higher rank. The winner gets what the loser paid, 1 to 13. A
// text that is no legal move ends the game: who said it loses 13, and the other gets nothing.
//
// Southey and others (2005) made the game up; its value is −0.0856 for the first player. Problems are the 120 deals of cards, and both splits have all.

package games

import (
	"fmt"

	"parley/task/environment"
)

var leduc = &rules{name: "leduc", deals: leducDeals(), digits: "012", illegal: -13, at: leducAt, measure: zeroSum}

// Leduc returns the game.
func Leduc() environment.Game {
	return environment.Game{
		Name: leduc.name, About: "Leduc poker: two players, six cards, two rounds of bets.", Agents: 2, Least: -13, Most: 13, Pairs: []string{"first_player"}, Open: leduc.open, Problems: leduc.repeated(10),
	}
}

// leducDeals are the ranks of the first's card, the second's and the public one, for all three different cards.
func leducDeals() (out []string) {
	rank := func(card int) int { return card/2 + 1 }
	for first := range 6 {
		for second := range 6 {
			for public := range 6 {
				if first != second && first != public && second != public {
					out = append(out, fmt.Sprint(rank(first))+fmt.Sprint(rank(second))+fmt.Sprint(rank(public)))
				}
			}
		}
	}
	return out
}

// A leducTable is what both have paid and who moves next.
type leducTable struct {
	paid                   [2]float64
	mover, round, in, bets int // in: the moves of the round
	over, folded           bool
}

// play makes a move. It is legal.
func (t *leducTable) play(move byte) {
	switch other := 1 - t.mover; {
	case move == '0':
		t.over, t.folded = true, true
		return
	case move == '1':
		t.paid[t.mover] = t.paid[other]
	default:
		t.paid[t.mover] = t.paid[other] + float64(2*t.round)
		t.bets++
	}
	t.mover, t.in = 1-t.mover, t.in+1
	if move == '1' && t.in > 1 {
		t.over = t.round == 2
		t.mover, t.round, t.in, t.bets = 0, t.round+1, 0, 0
	}
}

// legal are the moves of the mover.
func (t *leducTable) legal() string {
	out := "1"
	if t.over {
		return ""
	}
	if t.paid[t.mover] < t.paid[1-t.mover] {
		out = "01"
	}
	if t.bets < 2 {
		out += "2"
	}
	return out
}

func leducAt(deal, moves string) line {
	t := leducTable{paid: [2]float64{1, 1}, round: 1}
	for i := range len(moves) {
		t.play(moves[i])
	}
	l := line{mover: t.mover, legal: t.legal()}
	public := ""
	if t.round > 1 {
		public = deal[2:]
	}
	for i := range l.seen {
		l.seen[i] = "card " + deal[i:i+1] + after(" public ", public) + after(" moves ", moves)
	}
	strength := func(player int) int { // a pair is above all ranks
		if deal[player] == deal[2] {
			return 9
		}
		return int(deal[player] - '0')
	}
	loser := -1
	switch first, second := strength(0), strength(1); {
	case t.folded:
		loser = t.mover
	case t.over && first != second:
		loser = 0
		if first > second {
			loser = 1
		}
	}
	if loser >= 0 {
		l.paid[loser], l.paid[1-loser] = -t.paid[loser], t.paid[loser]
	}
	return l
}
