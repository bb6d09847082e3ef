package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"

	"parley/task"
	"parley/task/environment"
	"parley/task/environment/games"
	"parley/team"
)

// gamesCorpus has decisions in the games that come with parley: at first a teacher's, who lists all good moves, so that the base learns to read
// boards, then those of weak players, whose ways it takes over. The tokenizer learns words where there are some: boards would teach it such as
// "xo", and then a cell were no token.
var gamesCorpus = corpus{
	opening: []share[kind]{{80, teach(drawBoard)}, {5, teach(drawDeal)}, {15, teach(drawWalk)}},
	kinds:   []share[kind]{{80, play(drawBoard, boardSkill)}, {5, play(drawDeal, 0)}, {15, play(drawWalk, walkSkill)}},
	words:   []share[kind]{{50, teach(drawDeal)}, {50, teach(drawWalk)}},
}

// The skill of weak players is the share of their moves, in per cent, that are good ones on purpose. The others are any that the rules allow: so
// the base plays by the rules and weakly, and training has something to find.
const boardSkill, walkSkill = 30, 10

// A decision is what a player sees, and what it may say.
type decision struct {
	seen        string
	legal, good []string // good: some of the legal ones
}

// say is what a player of a skill says.
func (d decision) say(rng *rand.Rand, skill int) string {
	if rng.IntN(100) < skill {
		return pick(rng, d.good)
	}
	return pick(rng, d.legal)
}

// document is a decision in the environment's own words, and what somebody says to it.
func (d decision) document(said string) document {
	return render([]team.Message{{Role: team.User, Content: d.seen}, {Role: team.Assistant, Content: said}})
}

// play writes the moves of players of a skill.
func play(draw func(rng *rand.Rand) decision, skill int) kind {
	return func(rng *rand.Rand) document {
		d := draw(rng)
		return d.document(d.say(rng, skill))
	}
}

// teach writes all good moves, in any order.
func teach(draw func(rng *rand.Rand) decision) kind {
	return func(rng *rand.Rand) document {
		d := draw(rng)
		said := ""
		for _, i := range rng.Perm(len(d.good)) {
			said += d.good[i]
		}
		return d.document(said)
	}
}

// players are the names of both.
var players = []string{"one", "two"}

// openBoards are all positions of tic-tac-toe that have not ended, as decisions of who is to move.
type openBoards struct {
	list []decision
	at   map[games.Position]decision
}

var boards = sync.OnceValue(func() openBoards {
	out := openBoards{at: map[games.Position]decision{}}
	for _, p := range games.Positions() {
		if !p.Over() {
			d := boardDecision(p)
			out.list, out.at[p] = append(out.list, d), d
		}
	}
	return out
})

// boardDecision is what the mover of a position may play; a perfect player's moves are good.
func boardDecision(p games.Position) decision {
	begin := must(games.TicTacToe().Open(players).Reset(context.Background(), task.Problem{Question: string(p)}))
	return decision{begin.All, digits(p.Moves(), 1), digits(p.Best(), 1)}
}

// drawBoard is a moment of a random game from the empty board, or one time in three any position: games begin alike, so their first positions
// matter most.
func drawBoard(rng *rand.Rand) decision {
	if rng.IntN(3) == 0 {
		return pick(rng, boards().list)
	}
	var seen []decision
	for p := games.Start; !p.Over(); p = p.Play(pick(rng, p.Moves())) {
		seen = append(seen, boards().at[p])
	}
	return pick(rng, seen)
}

// digits writes numbers, each plus one more.
func digits(numbers []int, more int) []string {
	out := make([]string, len(numbers))
	for i, n := range numbers {
		out[i] = fmt.Sprint(n + more)
	}
	return out
}

// bets are the moves of Kuhn poker.
var bets = []string{"0", "1"}

// drawDeal is an information set of Kuhn poker. No move is better than the other before it is known how the other player plays.
func drawDeal(rng *rand.Rand) decision {
	set := pick(rng, games.KuhnSets())
	return decision{games.KuhnSeen(set.Card, set.History), bets, bets}
}

// mazes are the problems of path that training may begin with; held-out ones never occur.
var mazes = sync.OnceValue(func() []task.Problem {
	train, _ := games.Path().Problems()
	return train
})

// drawWalk is the first step of one of the two who walk; one time in eight it has just walked into a wall.
func drawWalk(rng *rand.Rand) decision {
	world := games.Path().Open(players)
	begin := must(world.Reset(context.Background(), pick(rng, mazes())))
	agent := rng.IntN(len(players))
	d := walkDecision(begin, agent)
	if rng.IntN(8) == 0 {
		stuck := must(world.Step(context.Background(), begin.State, map[string]string{players[agent]: ""}))
		d.seen = stuck.Observations[players[agent]]
	}
	return d
}

// walkDecision is a step of an agent: the ways that it sees are free, and the shortest; any where it has arrived.
func walkDecision(at environment.Outcome, agent int) decision {
	d := decision{seen: at.Observations[players[agent]]}
	_, free, _ := strings.Cut(d.seen, "free ")
	d.legal = strings.Split(strings.TrimSuffix(free, " no way"), "")
	if d.good = digits(must(games.BestOnPath(at.State, agent)), 0); len(d.good) == 0 {
		d.good = d.legal
	}
	return d
}
