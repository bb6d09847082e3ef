package games

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/task"
	"parley/task/environment"
)

// Measure lets the agents play from the empty board, one of them each time, as x in every other game, against two players: one plays random
// moves, the other is perfect. Of each it returns the shares of games that were won, drawn and lost, and, of those lost, those that an illegal
// move ended. Nobody wins against the perfect player: a draw is the best there is.
func (w ticTacToeWorld) Measure(ctx context.Context, t environment.Table) (map[string]float64, error) {
	known := solver{}
	out := map[string]float64{}
	for name, moves := range map[string]func(Position) []int{"random": Position.Moves, "perfect": known.best} {
		var matches []environment.Match
		for i := range t.Games() {
			problem := task.Problem{ID: fmt.Sprintf("%s-%d", name, i), Question: string(Start)}
			matches = append(matches, environment.Match{Problem: problem, Others: map[string]environment.Player{w.agents[(i+1)%2]: among(moves)}})
		}
		earned, err := t.Play(ctx, matches)
		if err != nil {
			return nil, fmt.Errorf("play against the %s player: %w", name, err)
		}
		for result, share := range w.shares(earned) {
			out[name+"_"+result] = share
		}
	}
	return out, nil
}

// among plays one of some moves, each as likely as the others.
func among(moves func(Position) []int) environment.Player {
	return func(state json.RawMessage, draw func(int) int) (string, error) {
		var p Position
		if err := json.Unmarshal(state, &p); err != nil {
			return "", fmt.Errorf("tic-tac-toe: %w", err)
		}
		list := moves(p)
		return fmt.Sprint(list[draw(len(list))] + 1), nil
	}
}

// shares are those of the results of games, in the i-th of which the agent i mod 2 played.
func (w ticTacToeWorld) shares(earned []map[string]float64) map[string]float64 {
	counts := map[string]int{}
	for i, e := range earned {
		switch own := e[w.agents[i%2]]; {
		case own > 0:
			counts["win"]++
		case own == 0:
			counts["draw"]++
		default:
			counts["loss"]++
			if e[w.agents[(i+1)%2]] <= 0 { // nobody won
				counts["illegal"]++
			}
		}
	}
	out := map[string]float64{}
	for _, result := range []string{"win", "draw", "loss", "illegal"} {
		out[result] = float64(counts[result]) / float64(len(earned))
	}
	return out
}
