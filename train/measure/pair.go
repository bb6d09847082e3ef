package measure

// This file lets the first agent of one team play with the others of another. Where a game's numbers come from probabilities alone they are exact, and every
// team says its own once. Else both play, in the way of the first agent's team, and every pair the same games.

import (
	"context"
	"maps"
	"slices"

	"parley/task"
	"parley/task/environment"
	"parley/train/lineup"
)

// A Guest is a team whose agents play with those of other teams.
type Guest struct {
	table
	pairs []string    // numbers of the game that are a pair's; empty: what everybody is paid
	known [][]float64 // what the game asked for; nil: it has not asked, or asks for play
}

// NewGuest is a team in a world, trained or not, as it is evaluated. Games have the random numbers of the seed.
func NewGuest(l lineup.Lineup, trained bool, games int, seed uint64) *Guest {
	r := l.Evaluation(trained)
	r.Seed, r.Cast = seed, nil
	return &Guest{table: table{lineup: l, runner: r, games: games}, pairs: l.Task.(interface{ Pairs() []string }).Pairs()}
}

// Told says that nobody of the team has to speak any more: all that is asked of it is known.
func (g *Guest) Told() bool { return g.known != nil }

// Pair measures the first agent of a team with the others of another one, which may be the same: numbers by name, the game's own score first, or what the
// team and every agent alone are paid in a game. exact says that none is an estimate from play.
func Pair(ctx context.Context, first, other *Guest) (names []string, numbers map[string]float64, exact bool, err error) {
	p, names := &pair{Guest: first, other: other}, first.pairs
	if len(names) == 0 {
		names = append([]string{TeamPaid}, first.lineup.Recipe.Team.Agents.Names()...)
		numbers, err = p.paid(ctx)
	} else {
		numbers, err = first.lineup.Task.(world).World().(game).Measure(ctx, p)
	}
	maps.DeleteFunc(numbers, func(name string, _ float64) bool { return !slices.Contains(names, name) })
	return names, numbers, !p.played, err
}

// TeamPaid is what is paid to the team, in numbers by the names of agents.
const TeamPaid = "team"

// A pair is an [environment.Table] of two teams. It is asked for as many games as the first.
type pair struct {
	*Guest // the first
	other  *Guest
	played bool
}

// mixed is the first team with the other's agents in all places but the first.
func (p *pair) mixed() *table {
	t, r := p.table, *p.runner
	r.Actors = slices.Concat(r.Actors[:1], p.other.runner.Actors[1:])
	t.runner, p.played = &r, true
	return &t
}

// Play implements [environment.Table].
func (p *pair) Play(ctx context.Context, matches []environment.Match) ([]map[string]float64, error) {
	return p.mixed().Play(ctx, matches)
}

// Logprobs implements [environment.Table]. A game asks every pair for the same.
func (p *pair) Logprobs(ctx context.Context, at []environment.Situation) (out [][]float64, err error) {
	for _, g := range []*Guest{p.Guest, p.other} {
		if g.known == nil {
			if g.known, err = g.table.Logprobs(ctx, at); err != nil {
				return nil, err
			}
		}
	}
	out = make([][]float64, len(at))
	first := p.runner.Actors[0].Name
	for i, s := range at {
		if out[i] = p.other.known[i]; s.Agent == first {
			out[i] = p.known[i]
		}
	}
	return out, nil
}

// paid is what the team earns in a game over the held-out problems, in order and from the beginning again, and every agent alone: a mean each.
func (p *pair) paid(ctx context.Context) (map[string]float64, error) {
	t, problems := p.mixed(), make([]task.Problem, p.Games())
	held, err := t.lineup.Task.Problems(task.Test, len(problems))
	if err != nil {
		return nil, err
	}
	for i := range problems {
		problems[i] = held[i%len(held)]
	}
	episodes, err := t.run(ctx, problems, nil)
	if err != nil {
		return nil, err
	}
	out := map[string]float64{TeamPaid: 0}
	for _, e := range episodes {
		out[TeamPaid] += e.Earned() / float64(len(episodes))
		for name, x := range t.earned(e) {
			out[name] += x / float64(len(episodes))
		}
	}
	return out, nil
}
