package ask

import (
	"context"

	"parley/recipe"
	"parley/train/lineup"
)

// SeatsOf are the seats of a recipe's team as it would be once it is trained.
func SeatsOf(ctx context.Context, r *recipe.Recipe, b lineup.Backend) ([]Seat, error) {
	l, err := lineup.OpenToPlay(ctx, r, b)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	return seats(Team{Lineup: l, Trained: true}, r.Team.Agents.Names()), nil
}
