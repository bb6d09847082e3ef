// This file is Kuhn poker: two players, three cards, one bet.
//
// Each pays 1 and gets one of the cards 1, 2 and 3. A move is the first digit 0 or 1 of what is said: 0 checks or folds, 1 bets or calls. The
// game is zero-sum: the winner gets what the other paid, 1 or 2. A text that is no move ends the game: who said it loses 2, the
// most that can be lost, so that it is never as good as a fold, and the other gets nothing.
//
// Problems are the six deals, and each of both splits has all of them: there are no others. What is measured is how a policy plays, which
// is computed exactly from its probabilities at all 12 information sets. Kuhn (1950) solved the game: its value is −1/18 for the
// first player.

package games

import (
	"fmt"

	"parley/task/environment"
)

var kuhn = &rules{
	name: "kuhn", deals: []string{"12", "13", "21", "23", "31", "32"}, digits: "01", illegal: -2, at: kuhnAt, measure: zeroSum,
}

// Kuhn returns the game.
func Kuhn() environment.Game {
	return environment.Game{
		Name: kuhn.name, About: "Kuhn poker: two players, three cards, one bet.", Agents: 2, Least: -2, Most: 2, Pairs: []string{"first_player"}, Open: kuhn.open, Problems: kuhn.repeated(200),
	}
}

func kuhnAt(deal, moves string) line {
	l := line{mover: len(moves) % 2, legal: "01"}
	showdown := 1.0
	if deal[0] < deal[1] {
		showdown = -1
	}
	gain, over := map[string]float64{"00": showdown, "10": 1, "010": -1, "11": 2 * showdown, "011": 2 * showdown}[moves]
	if over {
		l.legal, l.paid = "", [2]float64{gain, -gain}
	}
	for i := range l.seen {
		l.seen[i] = KuhnSeen(int(deal[i]-'0'), moves)
	}
	return l
}

// KuhnSets are the information sets of both players, six each: a card and a history.
func KuhnSets() (out []struct {
	Card    int
	History string
},
) {
	for _, history := range []string{"", "01", "0", "1"} {
		for card := 1; card <= 3; card++ {
			out = append(out, struct {
				Card    int
				History string
			}{card, history})
		}
	}
	return out
}

// KuhnExploitability is what best answers gain, a mean over both seats, against a player with a probability of 1 for what it sees.
func KuhnExploitability(bets func(seen string) float64) float64 {
	p := policy{}
	for _, x := range kuhn.sets() {
		bet := bets(x.seen[x.mover])
		p[x.set()] = []float64{1 - bet, bet}
	}
	return zeroSum(kuhn, p)["exploitability"]
}

// KuhnSeen is what a player observes at an information set.
func KuhnSeen(card int, history string) string {
	return fmt.Sprintf("card %d", card) + after(" moves ", history)
}

// after is a text behind some words, and nothing where there is none.
func after(words, text string) string {
	if text == "" {
		return ""
	}
	return words + text
}
