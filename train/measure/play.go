package measure

// This file says how well a team plays a game that can be measured: one whose environment has a method Measure.
//
//	numbers, err := play.Of(ctx, lineup, true) // such as exploitability 0.21 for Kuhn poker
//
// A game asks an [environment.Table]: it lets the team's agents play against players of its own, or asks for the probabilities of moves. The
// games that are played are the same at all times: their random numbers depend on the run's seed alone. Agents play as they are evaluated, at
// eval.temperature; probabilities are those at temperature 1 where that is 0.

import (
	"context"
	"fmt"

	"parley/task/environment"
	"parley/train/lineup"
)

// A world is a task whose environment is played in. Playing says of how many games a number is made, and after how many updates there are new
// ones; 0: only before and after training.
type world interface {
	World() environment.Environment
	Playing() (games, every int)
}

// A game can say how well it is played.
type game interface {
	Measure(ctx context.Context, t environment.Table) (map[string]float64, error)
}

// A FailedError says why a game could not be measured: an episode of it failed, because who speaks in it, or its world, did. Nothing else is wrong.
type FailedError struct{ Game, Why string }

// Error implements error.
func (e *FailedError) Error() string { return "game " + e.Game + ": " + e.Why }

// PlaysAfter is [Of] a team in training, where the measurements of its task fall on so many updates; else nil.
func PlaysAfter(ctx context.Context, l lineup.Lineup, updates int) (map[string]float64, error) {
	w, plays := l.Task.(world)
	if !plays {
		return nil, nil
	}
	if _, every := w.Playing(); every == 0 || updates%every != 0 {
		return nil, nil
	}
	return Plays(ctx, l, true)
}

// Plays measures how the agents of a team play, trained or not; nil: their task is no game that can be measured. It fails with a
// [*FailedError] where an episode does.
func Plays(ctx context.Context, l lineup.Lineup, trained bool) (map[string]float64, error) {
	w, plays := l.Task.(world)
	if !plays {
		return nil, nil
	}
	g, measured := w.World().(game)
	if !measured {
		return nil, nil
	}
	games, _ := w.Playing()
	t := &table{lineup: l, runner: l.Evaluation(trained), games: games}
	numbers, err := g.Measure(ctx, t)
	if t.failed != nil {
		return nil, t.failed
	}
	if err != nil {
		return nil, fmt.Errorf("measure the game: %w", err)
	}
	return numbers, nil
}
