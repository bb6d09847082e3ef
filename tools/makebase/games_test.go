package main

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"parley/model/shipped"
	"parley/model/tokenizer"
	"parley/task"
	"parley/task/environment/games"
)

// What the corpus plays is by the rules of the environments, which alone say what agents see: no drawn move is called illegal or no way.
func TestMovesAreLegal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	open := games.TicTacToe().Open(players)
	for p, d := range boards().at {
		begin, err := open.Reset(t.Context(), task.Problem{Question: string(p)})
		if err != nil || begin.All != d.seen {
			t.Fatalf("%s is shown as %q, not %q", p, begin.All, d.seen)
		}
		mover := players[strings.IndexByte("xo", p.Mover())]
		next, err := open.Step(t.Context(), begin.State, map[string]string{mover: d.say(rng, boardSkill)})
		if err != nil || strings.Contains(next.All, "illegal") {
			t.Fatalf("%s: %+v, %v", p, next, err)
		}
	}
	for range 2000 {
		d := drawWalk(rng)
		said := d.say(rng, boardSkill)
		_, after, _ := strings.Cut(strings.TrimSuffix(d.seen, " no way"), "free ")
		if !strings.Contains(after, said) {
			t.Fatalf("%q: says %s", d.seen, said)
		}
		if d := drawDeal(rng); !strings.HasPrefix(d.seen, "card ") || !slices.Contains(bets, d.say(rng, boardSkill)) {
			t.Fatalf("%+v", d)
		}
	}
}

// Good moves have the share of them that is on purpose, and what chance gives them.
func TestSkill(t *testing.T) {
	rng, hits := rand.New(rand.NewPCG(1, 1)), 0
	d := boards().at["xx.oo...."] // x wins on 3
	if !slices.Equal(d.good, []string{"3"}) || len(d.legal) != 5 {
		t.Fatalf("%+v", d)
	}
	for range 10_000 {
		if d.say(rng, boardSkill) == "3" {
			hits++
		}
	}
	if want := 100*boardSkill + (100-boardSkill)*20; hits < want-200 || hits > want+200 {
		t.Errorf("%d good moves, expected about %d", hits, want)
	}
}

// The card games' situations are all there, and a reader names the cards beside the moves.
func TestCards(t *testing.T) {
	for name, want := range map[string]int{"leduc": 288, "tiny-hanabi": 8, "matrix-chicken": 170, "kuhn": 12, "tic-tac-toe": 0} {
		if got := len(setsOf()[name]); got != want {
			t.Errorf("%s has %d situations, want %d", name, got, want)
		}
	}
	for i := range 200 {
		doc := read("leduc")(rand.New(rand.NewPCG(1, uint64(i))))
		seen, said := doc[0].Text, doc[len(doc)-1].Text
		card := strings.Index(seen, "card ") + len("card ")
		if !strings.Contains(said, seen[card:card+1]) || !strings.Contains(said, "1") {
			t.Fatalf("%q is read as %q", seen, said)
		}
	}
}

// A teacher names every good move once.
func TestTeacher(t *testing.T) {
	d := boards().at["x...o...."]
	for i := range 20 {
		doc := teach(func(*rand.Rand) decision { return d })(rand.New(rand.NewPCG(1, uint64(i))))
		said := strings.Split(strings.TrimSuffix(doc[len(doc)-1].Text, tokenEnd), "")
		slices.Sort(said)
		if !slices.Equal(said, d.good) {
			t.Fatalf("%q says %v, good are %v", doc.Text(), said, d.good)
		}
	}
}

// Mazes that are held out never begin a document.
func TestHeldOutMazesNeverOccur(t *testing.T) {
	_, held := games.Path().Problems()
	for _, p := range held {
		if slices.ContainsFunc(mazes(), func(q task.Problem) bool { return q.Question == p.Question }) {
			t.Fatalf("%s is drawn from", p.ID)
		}
	}
}

// The base sees every cell of a board, and every way, as a token of its own.
func TestOneTokenACell(t *testing.T) {
	for _, text := range []string{"xo3xxo789", "ooooooooo"} {
		tok := gamesTokenizer(t)
		if ids, err := tok.Encode(text, false); err != nil || len(ids) != len(text) {
			t.Errorf("%q is %d tokens, %v", text, len(ids), err)
		}
	}
}

// gamesTokenizer is the one that ships.
func gamesTokenizer(t *testing.T) *tokenizer.Tokenizer {
	t.Helper()
	tok, err := tokenizer.LoadFS(shipped.FS(shipped.Games))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// The players that a base is measured against are what they are called: the perfect one never loses and always arrives.
func TestMeasurePlayers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	random, perfect := anyOf(rng, legal), anyOf(rng, good)
	clumsy := func(context.Context, []decision) ([]string, error) { return []string{"x"}, nil }
	for _, c := range []struct {
		name           string
		who, rival     player
		least, illegal float64 // shares that are not lost, or are lost by illegal moves
	}{{"perfect", perfect, random, 1, 0}, {"both perfect", perfect, perfect, 1, 0}, {"clumsy", clumsy, random, 0, 1}} {
		n := 60
		if c.illegal > 0 {
			n = 1
		}
		r, err := matches(t.Context(), c.who, c.rival, n)
		if err != nil || r.won.mean()+r.drawn.mean() < c.least || r.illegal.mean() != c.illegal {
			t.Errorf("%s: %v, %v", c.name, r, err)
		}
	}
	if arrived, err := walks(t.Context(), perfect, 50); err != nil || arrived != 1 {
		t.Errorf("the perfect player arrives in %v, %v", arrived, err)
	}
}

// The base that ships plays by the rules, better than chance and far from perfect: training has something to find.
func TestGamesBase(t *testing.T) {
	m, err := modelOf(shipped.FS(shipped.Games))
	if err != nil {
		t.Fatal(err)
	}
	defer m.engine.Close()
	base, random := m.plays(1, 1), anyOf(rand.New(rand.NewPCG(1, 1)), legal)
	if share, err := legalShare(t.Context(), base, boards().list); err != nil || share < 0.99 {
		t.Errorf("%.4f of its moves are legal, %v", share, err)
	}
	r, err := matches(t.Context(), base, random, 300)
	if kept := r.won.mean() + r.drawn.mean(); err != nil || kept < 0.5 || kept > 0.9 {
		t.Errorf("against the random player: %v, %v", r, err)
	}
	arrived, err := walks(t.Context(), base, 200)
	if err != nil || arrived < 0.2 || arrived > 0.6 {
		t.Errorf("both arrive in %.3f, %v", arrived, err)
	}
}
