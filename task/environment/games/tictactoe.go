// This file is the game of noughts and crosses.
//
// The first agent plays x. A move is the first digit 1 to 9 of what is said: the cell, row by row. The winner gets 1 of its own and the loser −1;
// a draw gives nothing. An answer without a move, or a move onto a taken cell, ends the game: its player gets −2, less than for a loss, and the
// other player 0.
//
// Problems are positions that x is to move in and that have not ended: 2,423 of the 5,478 that can be reached. [Position.Best] is a perfect player.

package games

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"parley/internal/seed"
	"parley/task"
	"parley/task/environment"
)

// A Position is the nine cells, row by row: x, o, or a dot for a free one.
type Position string

// Start is the empty board.
const Start Position = "........."

var threes = [...][3]int{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}}

// Mover is who is to move: x where both have as many.
func (p Position) Mover() byte {
	if strings.Count(string(p), "x") > strings.Count(string(p), "o") {
		return 'o'
	}
	return 'x'
}

// Winner is who has three in a line; 0: nobody.
func (p Position) Winner() byte {
	for _, l := range threes {
		if c := p[l[0]]; c != '.' && c == p[l[1]] && c == p[l[2]] {
			return c
		}
	}
	return 0
}

// Over says that the game has ended.
func (p Position) Over() bool { return p.Winner() != 0 || !strings.Contains(string(p), ".") }

// Moves are the free cells, from 0.
func (p Position) Moves() []int {
	var out []int
	for i := range p {
		if p[i] == '.' && !p.Over() {
			out = append(out, i)
		}
	}
	return out
}

// Play is the position after a move to a free cell.
func (p Position) Play(cell int) Position {
	return p[:cell] + Position(p.Mover()) + p[cell+1:]
}

// Value is what a perfect mover makes of a position against a perfect opponent: 1 a win, 0 a draw, −1 a loss.
func (p Position) Value() int { return solver{}.value(p) }

// Best are all moves of a perfect player.
func (p Position) Best() []int { return solver{}.best(p) }

// A solver remembers the values of positions.
type solver map[Position]int

func (s solver) value(p Position) int {
	if v, known := s[p]; known {
		return v
	}
	best := -2
	for _, m := range p.Moves() {
		best = max(best, -s.value(p.Play(m)))
	}
	switch {
	case p.Winner() != 0:
		best = -1 // the last move won
	case best == -2:
		best = 0
	}
	s[p] = best
	return best
}

func (s solver) best(p Position) []int {
	var out []int
	for _, m := range p.Moves() {
		if -s.value(p.Play(m)) == s.value(p) {
			out = append(out, m)
		}
	}
	return out
}

// Positions lists all that can be reached from the empty board, each once, in the order of a search by depth.
func Positions() []Position {
	seen := map[Position]bool{}
	var out []Position
	var visit func(Position)
	visit = func(p Position) {
		if seen[p] {
			return
		}
		seen[p] = true
		out = append(out, p)
		for _, m := range p.Moves() {
			visit(p.Play(m))
		}
	}
	visit(Start)
	return out
}

// TicTacToe returns the game.
func TicTacToe() environment.Game {
	return environment.Game{
		Name: "tic-tac-toe", About: "Noughts and crosses, from any position in which x is to move.", Agents: 2, Least: -2, Most: 1,
		Board:    environment.Board{Side: 3, Text: `(?:^|\s)([xo.1-9]{3})([xo.1-9]{3})([xo.1-9]{3})(?:\s|$)`},
		Open:     func(agents []string) environment.Environment { return ticTacToeWorld{agents} },
		Problems: ticTacToeProblems,
	}
}

// ticTacToeProblems are the positions that x is to move in; one in five is held out, the empty board among them.
func ticTacToeProblems() (train, held []task.Problem) {
	rng := seed.Stream(seed.Derive(1, "environment tic-tac-toe"))
	list := Positions()
	for _, at := range rng.Perm(len(list)) {
		p := list[at]
		if p.Over() || p.Mover() != 'x' {
			continue
		}
		problem := task.Problem{ID: fmt.Sprintf("board-%d", at), Question: string(p)}
		if p == Start || (len(train)+len(held))%5 == 0 {
			held = append(held, problem)
		} else {
			train = append(train, problem)
		}
	}
	return train, held
}

type ticTacToeWorld struct{ agents []string }

// Reset implements [environment.Environment].
func (w ticTacToeWorld) Reset(_ context.Context, p task.Problem) (environment.Outcome, error) {
	at := Position(p.Question)
	if len(at) != len(Start) || strings.Trim(p.Question, "xo.") != "" {
		return environment.Outcome{}, fmt.Errorf("tic-tac-toe: problem %s is no position: %.80s", p.ID, p.Question)
	}
	return w.show(at, "")
}

// Step implements [environment.Environment].
func (w ticTacToeWorld) Step(_ context.Context, before json.RawMessage, actions map[string]string) (environment.Outcome, error) {
	var p Position
	if err := json.Unmarshal(before, &p); err != nil {
		return environment.Outcome{}, fmt.Errorf("tic-tac-toe: %w", err)
	}
	mover := w.agents[strings.IndexByte("xo", p.Mover())]
	text, moves := actions[mover]
	if !moves {
		return w.show(p, "") // it is the other's turn
	}
	cell, ok := environment.Digit(text, "123456789")
	if !ok || p[cell-1] != '.' {
		o, err := w.show(p, fmt.Sprintf(" illegal move of %c", p.Mover()))
		o.Done, o.Agents, o.Info = true, map[string]float64{mover: -2}, environment.Illegal(mover)
		return o, err
	}
	next := p.Play(cell - 1)
	o, err := w.show(next, "")
	o.Done = next.Over()
	if winner := next.Winner(); winner != 0 {
		o.Agents = map[string]float64{w.agents[0]: 1, w.agents[1]: -1}
		if winner == 'o' {
			o.Agents = map[string]float64{w.agents[0]: -1, w.agents[1]: 1}
		}
	}
	return o, err
}

// show is the board, with the numbers of free cells in their places.
func (w ticTacToeWorld) show(p Position, note string) (environment.Outcome, error) {
	state, err := json.Marshal(p)
	board := []byte(p)
	for i, c := range board {
		if c == '.' {
			board[i] = byte('1' + i)
		}
	}
	return environment.Outcome{State: state, All: string(board) + note}, err
}
