// This file is tiny Hanabi: a convention that two agents have to learn, each for itself.
//
// Both get a card, 1 or 2, each as likely as the other. The first says a move, 1, 2 or 3; the second sees it, and says one too. What they are paid hangs
// on both cards and both moves. A move is the first such digit of a text; a text without one ends the game with nothing.
//
// The best pair gets 10, a tenth of that a reward. Who learns without a signal in the first's move finds 8. Rules and payoffs: Foerster and others (2019),
// Bayesian Action Decoder. Problems are the four deals, and both splits have all.

package games

import (
	"math"

	"parley/task/environment"
)

var hanabi = &rules{name: "tiny-hanabi", deals: []string{"11", "12", "21", "22"}, digits: "123", team: true, at: hanabiAt, measure: hanabiMeasure}

// TinyHanabi returns the game.
func TinyHanabi() environment.Game {
	return environment.Game{
		Name: hanabi.name, About: "Two cards, and one move each: the first's is a signal.", Agents: 2, Least: 0, Most: 1, Pairs: []string{"return", "signal"}, Open: hanabi.open, Problems: hanabi.repeated(50),
	}
}

// hanabiPays is what both get: by the first's card, the second's, the first's move and the second's.
var hanabiPays = [2][2][3][3]float64{
	{{{10, 0, 0}, {4, 8, 4}, {10, 0, 0}}, {{0, 0, 10}, {4, 8, 4}, {0, 0, 10}}},
	{{{0, 0, 10}, {4, 8, 4}, {0, 0, 0}}, {{10, 0, 0}, {4, 8, 4}, {10, 0, 0}}},
}

func hanabiAt(deal, moves string) line {
	l := line{mover: len(moves), legal: "123", seen: [2]string{"card " + deal[:1], "card " + deal[1:]}}
	if moves == "" {
		return l
	}
	l.seen[1] += " move " + moves[:1]
	if len(moves) == 2 {
		pays := hanabiPays[deal[0]-'1'][deal[1]-'1'][moves[0]-'1'][moves[1]-'1'] / 10
		l.mover, l.legal, l.paid = 0, "", [2]float64{pays, pays}
	}
	return l
}

// hanabiMeasure is the mean of what they are paid, 0 to 10, and how much the first's move says of its card, in bits.
func hanabiMeasure(r *rules, p policy) map[string]float64 {
	one, two := p["0card 1"], p["0card 2"]
	signal := 0.0
	for i := range one {
		mean := (one[i] + two[i]) / 2
		for _, chance := range []float64{one[i], two[i]} {
			if chance > 0 {
				signal += chance / 2 * math.Log2(chance/mean)
			}
		}
	}
	return map[string]float64{"return": 10 * r.value(p, 0), "signal": signal}
}
