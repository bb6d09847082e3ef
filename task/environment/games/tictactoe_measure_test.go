package games

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"parley/task/environment"
)

// A ticTacToeTable plays matches with one player in the place of the agents.
type ticTacToeTable struct {
	games int
	own   environment.Player
	firsts
}

// firsts counts who began.
type firsts map[string]int

func (x ticTacToeTable) Games() int { return x.games }

func (x ticTacToeTable) Logprobs(context.Context, []environment.Situation) ([][]float64, error) {
	return nil, nil
}

func (x ticTacToeTable) Play(ctx context.Context, matches []environment.Match) ([]map[string]float64, error) {
	w := ticTacToeWorld{[]string{"a", "b"}}
	rng := rand.New(rand.NewPCG(1, 2))
	var out []map[string]float64
	for _, m := range matches {
		o, err := w.Reset(ctx, m.Problem)
		if _, other := m.Others["a"]; !other {
			x.firsts["agent"]++
		}
		for turn := 0; err == nil && !o.Done; turn++ {
			name := w.agents[turn%2]
			player, other := m.Others[name]
			if !other {
				player = x.own
			}
			var text string
			if text, err = player(o.State, rng.IntN); err == nil {
				o, err = w.Step(ctx, o.State, map[string]string{name: text})
			}
		}
		if err != nil {
			return nil, err
		}
		out = append(out, o.Agents)
	}
	return out, nil
}

// TestTicTacToeMeasure: a perfect agent never loses, one without a move loses all games by illegal moves, and a random one is what is known of it.
func TestTicTacToeMeasure(t *testing.T) {
	w := ticTacToeWorld{[]string{"a", "b"}}
	measure := func(own environment.Player) map[string]float64 {
		x := ticTacToeTable{games: 400, own: own, firsts: firsts{}}
		got, err := w.Measure(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		if x.firsts["agent"] != 400 {
			t.Errorf("the agent began %d of 800 games", x.firsts["agent"])
		}
		for _, other := range []string{"random", "perfect"} {
			if sum := got[other+"_win"] + got[other+"_draw"] + got[other+"_loss"]; math.Abs(sum-1) > 1e-9 || got[other+"_illegal"] > got[other+"_loss"] {
				t.Errorf("%v: shares of games sum up to %v", got, sum)
			}
		}
		return got
	}
	perfect := measure(among(solver{}.best))
	if perfect["random_loss"] != 0 || perfect["perfect_draw"] < 1-1e-9 || perfect["random_win"] < 0.8 {
		t.Errorf("a perfect agent: %v", perfect)
	}
	silent := measure(func(json.RawMessage, func(int) int) (string, error) { return "", nil })
	if silent["random_illegal"] < 1-1e-9 || silent["perfect_illegal"] < 1-1e-9 {
		t.Errorf("a silent agent: %v", silent)
	}
	// A random player wins about 59 % of its games as x and 29 % as o against its like, and 13 % are drawn.
	random := measure(among(Position.Moves))
	if math.Abs(random["random_win"]-0.437) > 0.08 || math.Abs(random["random_draw"]-0.127) > 0.06 || random["perfect_win"] != 0 || random["random_illegal"] != 0 {
		t.Errorf("a random agent: %v", random)
	}
}

// TestSolverForgetsNothing: values and best moves are the same whatever was asked before.
func TestSolverForgetsNothing(t *testing.T) {
	known := solver{}
	list := Positions()
	rand.New(rand.NewPCG(3, 4)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	for _, p := range list[:300] {
		if known.value(p) != p.Value() || !slices.Equal(known.best(p), p.Best()) {
			t.Fatalf("%s: %d, %v; want %d, %v", p, known.value(p), known.best(p), p.Value(), p.Best())
		}
	}
}
