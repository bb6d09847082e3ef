// Package games are the environments that come with parley, a file each: small games whose best play is known.
//
//	begin, err := games.Path().Open([]string{"north", "south"}).Reset(ctx, problem)
//
//	tictactoe.go  noughts and crosses
//	turns.go      what games of two have in common whose lines of play can all be followed: exact numbers
//	kuhn.go       Kuhn poker: two players, three cards, one bet
//	leduc.go      Leduc poker: six cards, two rounds of bets
//	hanabi.go     tiny Hanabi: a convention to be learned
//	matrix.go     four matrix games, played over and over
//	divide.go     two agents bargain in words
//	path.go       two agents walk on a grid with walls to a goal
//	sweep.go      two robots sweep blocks away, which takes both
//	grid.go       a teacher names directions, and a student walks
package games

import "parley/task/environment"

// All lists the games in the order of documentation. A new one is a file beside these with a function that returns it, and a line here.
func All() []environment.Game {
	return append([]environment.Game{TicTacToe(), Kuhn(), Leduc(), TinyHanabi(), Divide(), Path(), Sweep(), Grid()}, matrixGames()...)
}

// Find returns the game of a name.
func Find(name string) (g environment.Game, ok bool) {
	for _, g := range All() {
		if g.Name == name {
			return g, true
		}
	}
	return g, false
}

// walk is how games on a grid say where one is.
const walk = `at (?<at>\d\d) goal (?<goal>\d\d)`

// direction is what a text names: 1 up, 2 down, 3 left, 4 right; 0: nothing.
func direction(text string) int {
	d, _ := environment.Digit(text, "1234")
	return d
}

// moved is the cell in a direction from another one of a square field, whose cells are numbered row by row; ok is false where there is none.
func moved(cell, direction, side int) (to int, ok bool) {
	row, column := cell/side, cell%side
	switch direction {
	case 1:
		row--
	case 2:
		row++
	case 3:
		column--
	case 4:
		column++
	}
	if direction == 0 || row < 0 || row >= side || column < 0 || column >= side {
		return cell, false
	}
	return row*side + column, true
}
