package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"parley/engine"
	"parley/internal/seed"
	"parley/task/environment"
	"parley/task/environment/games"
	"parley/team"
)

// A player says something in each of some situations.
type player func(ctx context.Context, at []decision) ([]string, error)

// anyOf is a player who says any of what a situation offers.
func anyOf(rng *rand.Rand, offers func(decision) []string) player {
	return func(_ context.Context, at []decision) ([]string, error) {
		out := make([]string, len(at))
		for i, d := range at {
			out[i] = pick(rng, offers(d))
		}
		return out, nil
	}
}

func legal(d decision) []string { return d.legal }
func good(d decision) []string  { return d.good }

// plays is the model as a player.
func (m *model) plays(root uint64, temperature float64) player {
	asked := 0
	return func(ctx context.Context, at []decision) ([]string, error) {
		var reqs []engine.SampleRequest
		for _, d := range at {
			req, err := m.request([]team.Message{{Role: team.User, Content: d.seen}}, "", temperature, seed.Derive(root, "play", asked))
			if err != nil {
				return nil, err
			}
			reqs, asked = append(reqs, req), asked+1
		}
		samples, err := m.engine.Sample(ctx, reqs)
		if err != nil {
			return nil, err
		}
		out := make([]string, len(samples))
		for i, s := range samples {
			out[i] = m.tok.Decode(s.Tokens, false)
		}
		return out, nil
	}
}

// measureGames reports how the model in dir plays: the share of its moves that are legal, n games of tic-tac-toe against each of a random and a
// perfect player, what could be won from it in Kuhn poker, and how many of n held-out pairs arrive.
func measureGames(ctx context.Context, dir string, n int, w io.Writer) error {
	m, err := openModel(dir)
	if err != nil {
		return err
	}
	defer m.engine.Close()
	rng := seed.Stream(seed.Derive(7, "measure games"))
	random, perfect := anyOf(rng, legal), anyOf(rng, good)
	for _, who := range []struct {
		name  string
		plays player
	}{{"base", m.plays(7, 1)}, {"base, greedy", m.plays(7, 0)}, {"random", random}, {"perfect", perfect}} {
		if err := measurePlayer(ctx, who.plays, random, perfect, n, w, who.name); err != nil {
			return err
		}
	}
	return nil
}

// measurePlayer measures one player in all games.
func measurePlayer(ctx context.Context, who, random, perfect player, n int, w io.Writer, name string) error {
	share, err := legalShare(ctx, who, boards().list)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s: tic-tac-toe: legal %.4f of %d positions\n", name, share, len(boards().list))
	for _, rival := range []struct {
		name  string
		plays player
	}{{"random", random}, {"perfect", perfect}} {
		r, err := matches(ctx, who, rival.plays, n)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s: tic-tac-toe against the %s player, %d games: %s\n", name, rival.name, n, r)
	}
	lost, err := exploited(ctx, who)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s: kuhn: exploitability %.3f\n", name, lost)
	arrived, err := walks(ctx, who, n)
	fmt.Fprintf(w, "%s: path: both arrive in %.3f of %d held-out mazes within %d steps\n", name, arrived, n, walkSteps)
	return err
}

// legalShare is the share of a player's moves that are legal, one in each situation.
func legalShare(ctx context.Context, who player, at []decision) (float64, error) {
	said, err := who(ctx, at)
	var t tally
	for i, text := range said {
		t.add(is(slices.Contains(at[i].legal, text)))
	}
	return t.mean(), err
}

// is is 1 for what is true.
func is(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// results counts games by how they ended. An illegal move loses.
type results struct{ won, drawn, lost, illegal tally }

func (r *results) String() string {
	return fmt.Sprintf("won %.3f, drawn %.3f, lost %.3f, of which by an illegal move %.3f", r.won.mean(), r.drawn.mean(), r.lost.mean(), r.illegal.mean())
}

// matches plays n games of tic-tac-toe from the empty board, all at once. who plays x in every other game, rival the other side.
func matches(ctx context.Context, who, rival player, n int) (*results, error) {
	at, broke := slices.Repeat([]games.Position{games.Start}, n), make([]bool, n)
	for ply := range len(games.Start) {
		for side, p := range []player{who, rival} {
			var games []int
			var sees []decision
			for i := range at {
				if !broke[i] && !at[i].Over() && (ply+i)%2 == side {
					games, sees = append(games, i), append(sees, boards().at[at[i]])
				}
			}
			said, err := p(ctx, sees)
			if err != nil {
				return nil, err
			}
			for k, i := range games {
				if slices.Contains(sees[k].legal, said[k]) {
					at[i] = at[i].Play(int(said[k][0] - '1'))
				} else {
					broke[i] = true
				}
			}
		}
	}
	r := &results{}
	for i, p := range at {
		mine, winner := "xo"[i%2], p.Winner()
		r.won.add(is(winner == mine))
		r.drawn.add(is(winner == 0 && !broke[i]))
		r.lost.add(is(broke[i] || winner != 0 && winner != mine))
		r.illegal.add(is(broke[i]))
	}
	return r, nil
}

// exploited is the exploitability of a player in Kuhn poker, from what it says at each information set many times.
func exploited(ctx context.Context, who player) (float64, error) {
	const times = 500
	chance := map[string]float64{}
	for _, set := range games.KuhnSets() {
		seen := games.KuhnSeen(set.Card, set.History)
		said, err := who(ctx, slices.Repeat([]decision{{seen, bets, bets}}, times))
		if err != nil {
			return 0, err
		}
		var t tally
		for _, text := range said {
			t.add(is(text == "1"))
		}
		chance[seen] = t.mean()
	}
	return games.KuhnExploitability(func(seen string) float64 { return chance[seen] }), nil
}

// walkSteps is how many steps the shipped recipe gives both.
const walkSteps = 6

// walks sends both through held-out mazes and returns the share in which both arrive.
func walks(ctx context.Context, who player, n int) (float64, error) {
	_, held := games.Path().Problems()
	world := games.Path().Open(players)
	var ends tally
	for _, p := range held[:min(n, len(held))] {
		o, err := world.Reset(ctx, p)
		for step := 0; err == nil && step < walkSteps && !o.Done; step++ {
			o, err = walkOn(ctx, world, o, who)
		}
		if err != nil {
			return 0, err
		}
		ends.add(is(o.Done))
	}
	return ends.mean(), nil
}

// walkOn is a step of both.
func walkOn(ctx context.Context, world environment.Environment, at environment.Outcome, who player) (environment.Outcome, error) {
	said, err := who(ctx, []decision{walkDecision(at, 0), walkDecision(at, 1)})
	if err != nil {
		return at, err
	}
	return world.Step(ctx, at.State, map[string]string{players[0]: said[0], players[1]: said[1]})
}
