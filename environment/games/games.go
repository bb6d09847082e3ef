// Package games lists the environments that come with parley: one line each. A new one is a folder below environment with a function that
// returns its [environment.Game], and a line here.
package games

import (
	"parley/environment"
	"parley/environment/grid"
	"parley/environment/kuhn"
	"parley/environment/path"
	"parley/environment/sweep"
	"parley/environment/tictactoe"
)

// All lists the games in the order of documentation.
func All() []environment.Game {
	return []environment.Game{
		tictactoe.Game(),
		kuhn.Game(),
		path.Game(),
		sweep.Game(),
		grid.Game(),
	}
}
