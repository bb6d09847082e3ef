package code

import "parley/task/code/gaming"

// What tests take of the known games.
const (
	gamedPrompt = gaming.Prompt
	squares     = gaming.Squares
	square      = gaming.Square
	honest      = gaming.Honest
)
