package environment

import "parley/task"

// A Game is an environment that comes with parley: what it is, and which problems it has.
type Game struct {
	Name, About string
	Agents      int     // that play it
	Least, Most float64 // of rewards
	// Open returns the game for agents of these names, who take its seats in their order.
	Open func(agents []string) Environment
	// Problems returns those of training and those that are held out. They share none; games with few beginnings say how theirs differ.
	Problems func() (train, held []task.Problem)
}
