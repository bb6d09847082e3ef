package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"parley/internal/seed"
	"parley/task/environment/games"
)

// cardsCorpus has every information set of the card and matrix games. At first a reader names the legal moves and what is dealt, so that the base
// learns to tell the sets apart; then somebody says any legal move. No move is better than another: what is good, training has to find.
var cardsCorpus = corpus{
	opening: []share[kind]{{70, read("leduc")}, {10, read("tiny-hanabi")}, {20, read("matrix-chicken")}},
	kinds:   []share[kind]{{70, anyMove("leduc")}, {10, anyMove("tiny-hanabi")}, {20, anyMove("matrix-chicken")}},
	words:   []share[kind]{{70, anyMove("leduc")}, {10, anyMove("tiny-hanabi")}, {20, anyMove("matrix-chicken")}},
}

// setsOf are the information sets of a game as decisions; the four matrix games have the same.
var setsOf = sync.OnceValue(func() map[string][]decision {
	out := map[string][]decision{}
	for _, g := range games.All() {
		for _, s := range games.Sets(g) {
			out[g.Name] = append(out[g.Name], decision{s.Seen, s.Legal, s.Legal})
		}
	}
	return out
})

// anyMove writes a legal move.
func anyMove(game string) kind {
	return play(func(rng *rand.Rand) decision { return pick(rng, setsOf()[game]) }, 0)
}

// read writes the legal moves and the cards, moves or rounds that are seen alone, in any order.
func read(game string) kind {
	return teach(func(rng *rand.Rand) decision {
		d := pick(rng, setsOf()[game])
		d.good = slices.Clone(d.legal)
		for _, word := range strings.Fields(d.seen) {
			if len(word) == 1 {
				d.good = append(d.good, word)
			}
		}
		return d
	})
}

// measureCards reports how the model in dir plays: the share of its moves that are legal, and how far from even it says them, n moves at each
// information set.
func measureCards(ctx context.Context, dir string, n int, w io.Writer) error {
	m, err := openModel(dir)
	if err != nil {
		return err
	}
	defer m.engine.Close()
	for _, name := range []string{"leduc", "tiny-hanabi", "matrix-chicken"} {
		legal, uneven, err := evenness(ctx, m.plays(seed.Derive(7, "measure cards"), 1), setsOf()[name], n)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s: legal %.4f, from even %.3f of %d sets, %d moves at each\n", name, legal, uneven, len(setsOf()[name]), n)
	}
	return nil
}

// evenness is the share of legal moves, and the total variation distance from even chances, a mean over the sets.
func evenness(ctx context.Context, who player, sets []decision, n int) (legal, uneven float64, err error) {
	var right, distance tally
	for _, d := range sets {
		said, err := who(ctx, slices.Repeat([]decision{d}, n))
		if err != nil {
			return 0, 0, err
		}
		count := map[string]float64{}
		for _, text := range said {
			count[text]++
			right.add(is(slices.Contains(d.legal, text)))
		}
		apart := 0.0
		for _, move := range d.legal {
			apart += max(0, 1/float64(len(d.legal))-count[move]/float64(n))
		}
		distance.add(apart)
	}
	return right.mean(), distance.mean(), nil
}
