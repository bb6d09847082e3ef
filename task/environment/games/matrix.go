// This file is four matrix games, each played four times over: what one agent likes is not quite what the other does.
//
// Row and column say a move at once, 0 or 1, the first such digit of a text, and see afterwards what the other did. A text without one ends the game, and
// nobody gets anything for that round and later ones. A reward is a quarter of what the matrix pays, so that an episode adds up to the mean of a round.

package games

import (
	"fmt"
	"strings"

	"parley/task/environment"
)

// matrixRounds is how often a game is played.
const matrixRounds = 4

// matrices are what row and column are paid, by row's move and column's.
var matrices = []struct {
	name, about string
	pays        [2][2][2]float64
}{
	{"prisoners-dilemma", "To defect (1) is better, whatever the other does; both do better if neither does.", [2][2][2]float64{{{3, 3}, {0, 5}}, {{5, 0}, {1, 1}}}},
	{"stag-hunt", "A stag (0) takes two; a hare (1) is safe.", [2][2][2]float64{{{4, 4}, {0, 3}}, {{3, 0}, {2, 2}}}},
	{"chicken", "To go straight (1) pays where the other swerves (0).", [2][2][2]float64{{{3, 3}, {1, 4}}, {{4, 1}, {0, 0}}}},
	{"battle", "Both want to do the same; each likes another thing better.", [2][2][2]float64{{{3, 2}, {0, 0}}, {{0, 0}, {2, 3}}}},
}

// matrixGames returns them.
func matrixGames() (out []environment.Game) {
	for _, m := range matrices {
		r := &rules{name: "matrix-" + m.name, deals: []string{"start"}, digits: "01", together: true}
		r.at = func(_, moves string) line { return matrixAt(m.pays, moves) }
		most := 0.0
		for _, row := range m.pays {
			most = max(most, row[0][0]+row[0][1], row[1][0]+row[1][1])
		}
		r.measure = func(r *rules, p policy) map[string]float64 { return matrixMeasure(r, p, most) }
		out = append(out, environment.Game{Name: r.name, About: m.about, Agents: 2, Least: 0, Most: 1.25, Pairs: []string{"joint", "row", "column"}, Open: r.open, Problems: r.repeated(200)})
	}
	return out
}

func matrixAt(pays [2][2][2]float64, moves string) line {
	l, whole := line{mover: len(moves) % 2, legal: "01"}, len(moves)/2
	for player := range l.seen {
		l.seen[player] = fmt.Sprint("round ", min(whole+1, matrixRounds))
		for i := range whole {
			l.seen[player] += fmt.Sprintf(" %c/%c", moves[2*i+player], moves[2*i+1-player])
		}
	}
	if n := len(moves); n > 0 && n%2 == 0 {
		both := pays[moves[n-2]-'0'][moves[n-1]-'0']
		l.paid = [2]float64{both[0] / matrixRounds, both[1] / matrixRounds}
	}
	if whole == matrixRounds {
		l.legal = ""
	}
	return l
}

// matrixMeasure is what row and column earn in a round, their sum as a share of the most that a cell pays, how often they say 0, and regret: what best
// answers to the other would earn more, a mean over both.
func matrixMeasure(r *rules, p policy, most float64) map[string]float64 {
	row, column := r.value(p, 0), r.value(p, 1)
	zeros := r.expect(p, func(x reached) float64 { return float64(strings.Count(x.moves, "0")) / (2 * matrixRounds) })
	return map[string]float64{
		"row": row, "column": column, "joint": (row + column) / most, "zeros": zeros,
		"regret": (r.best(p, 0) - row + r.best(p, 1) - column) / 2,
	}
}
