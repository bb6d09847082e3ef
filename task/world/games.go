// This file lists the environments that come with parley: one line each. A new one is a folder below environment with a function that
// returns its [environment.Game], and a line here.

package world

import (
	"parley/task/environment"
	"parley/task/environment/grid"
	"parley/task/environment/kuhn"
	"parley/task/environment/path"
	"parley/task/environment/sweep"
	"parley/task/environment/tictactoe"
)

// games lists the games in the order of documentation.
func games() []environment.Game {
	return []environment.Game{
		tictactoe.Game(),
		kuhn.Game(),
		path.Game(),
		sweep.Game(),
		grid.Game(),
	}
}
